#include "app/scene/step_control.hpp"

#include <fmt/format.h>

namespace lilyan {
namespace {

// "avf, implicit-midpoint, …": those that are symmetric with their default parameters.
std::string symmetric_methods() {
  std::string names;
  for (const Method& m : methods()) {
    if (make_scheme(m.name).claims.symmetric) names += (names.empty() ? "" : ", ") + m.name;
  }
  return names;
}

}  // namespace

void read_step_control_kind(TableReader& reader, Scene& scene) {
  reader.expect({"kind", "tolerance", "exponent", "min_step", "max_step"});
  const std::string kind = reader.choice("kind", {"fixed", "error", "reversible"}, "fixed");
  scene.control.kind = kind == "error"        ? StepControlKind::error
                       : kind == "reversible" ? StepControlKind::reversible
                                              : StepControlKind::fixed;
}

void read_step_control(TableReader& reader, Scene& scene) {
  StepControlOptions& c = scene.control;
  const bool error = c.kind == StepControlKind::error;
  const bool reversible = c.kind == StepControlKind::reversible;
  if (reversible && !scene.scheme.claims.symmetric) {
    reader.fail("kind", fmt::format("reversible steps need a symmetric method, which {} is not; "
                                    "these are: {}",
                                    scene.scheme.label, symmetric_methods()));
  }
  // Keys of other kinds are a mistake in a scene, but not when the kind was exchanged from outside.
  const auto applies = [&](const std::string& key, bool here, std::string_view to) {
    if (here || !reader.has(key)) return here;
    if (!reader.document().overridden("step_control.kind") ||
        reader.document().overridden("step_control." + key)) {
      reader.fail(key, fmt::format("'{}' is for {} steps; these are {}", key, to, name(c.kind)));
    }
    reader.drop(key);
    return false;
  };
  if (applies("tolerance", error, "error-controlled")) {
    c.tolerance = reader.positive("tolerance", c.tolerance);
  }
  if (applies("exponent", reversible, "reversible")) {
    c.exponent = reader.positive("exponent", c.exponent);
  }
  if (applies("min_step", error || reversible, "variable") && reader.has("min_step")) {
    c.min_step = reader.positive("min_step");
    if (*c.min_step > scene.step) {
      reader.fail("min_step", fmt::format("must not be above the first step, {}", scene.step));
    }
  }
  if (applies("max_step", error || reversible, "variable") && reader.has("max_step")) {
    c.max_step = reader.positive("max_step");
    if (*c.max_step < scene.step) {
      reader.fail("max_step", fmt::format("must not be below the first step, {}", scene.step));
    }
  }
  reader.finish();
}

}  // namespace lilyan
