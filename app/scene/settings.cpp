#include "app/scene/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {

constexpr int kMostSteps = std::numeric_limits<int>::max();
constexpr int kMostThreads = 1024;

// Whether a method takes the scene's value of a parameter.
bool method_takes(const Method& method, TableReader& reader, const ParameterSpec& spec) {
  if (spec.text != reader.is_text(spec.name)) return false;
  Parameters given;
  try {
    if (spec.text) {
      given.set(spec.name, reader.text(spec.name));
    } else {
      given.set(spec.name, reader.number(spec.name));
    }
    (void)make_scheme(method.name, given);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Parameters of other methods are a mistake in a scene. They are dropped when a setting from outside
// exchanged the method: then the parameters of the scene's own method, and values that only that
// method understands, do not apply.
void skip_other_parameters(TableReader& reader, const Method& chosen) {
  const bool exchanged = reader.overridden("method");
  const auto find = [](const Method& m, const std::string& key) {
    return std::ranges::find(m.parameters, key, &ParameterSpec::name);
  };
  for (const std::string& key : reader.unread()) {
    const bool overridden = reader.overridden(key);
    if (const auto own = find(chosen, key); own != chosen.parameters.end()) {
      if (exchanged && !overridden && !method_takes(chosen, reader, *own)) reader.drop(key);
      continue;
    }
    for (const Method& other : methods()) {
      if (find(other, key) == other.parameters.end()) continue;
      if (!exchanged || overridden) {
        reader.fail(key, fmt::format("'{}' is a parameter of '{}', not of '{}'", key, other.name,
                                     chosen.name));
      }
      reader.drop(key);
      break;
    }
  }
}

void read_integrator(TableReader reader, const RunLength& length, SceneSettings& settings) {
  for (const Method& m : methods()) {
    for (const ParameterSpec& p : m.parameters) reader.expect({p.name});
  }
  reader.expect({"method", "step", "steps", "duration"});
  const std::string name = reader.text("method", "avf");
  const Method* method = find_method(name);
  if (!method) {
    reader.note("method",
                fmt::format("unknown method '{}'{}", name, suggestion(name, method_names())));
    method = find_method("avf");
  }
  settings.method = method->name;
  if (reader.has("steps") && reader.has("duration")) {
    reader.fail("duration", "give either 'steps' or 'duration', not both");
  }
  if (length.steps) {
    reader.replace("steps", *length.steps);
    reader.drop("duration");
    settings.steps = *length.steps;
  } else if (length.duration) {
    reader.replace("duration", *length.duration);
    reader.drop("steps");
    settings.duration = *length.duration;
  } else if (reader.has("duration")) {
    settings.duration = reader.positive("duration");
  } else {
    settings.steps = reader.whole("steps", 0, kMostSteps);
  }
  settings.step = reader.positive("step");
  if (settings.duration > 0) {
    // Both numbers are rounded from decimals.
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
    const StepCount count =
        count_steps(settings.duration, settings.step, kRounding * settings.duration);
    if (!settings.variable_steps() && settings.duration < 0.5 * settings.step) {
      reader.fail("duration", "that is less than half a step");
    }
    if (count.steps > kMostSteps) {
      reader.fail("duration", "that is more steps than can be counted");
    }
    settings.steps = static_cast<int>(count.steps);
  } else {
    settings.duration = settings.steps * settings.step;
  }
  skip_other_parameters(reader, *method);
  try {
    const Parameters parameters = read_parameters(reader, method->parameters);
    settings.scheme = make_scheme(method->name, parameters);
  } catch (const ParameterError& error) {
    fail_parameter(reader, error);
  }
}

// Velocity errors are allowed this many times the size of energy errors, which they cause only in part.
constexpr double kVelocityByEnergy = 10;

void read_solver(TableReader reader, SceneSettings& settings) {
  reader.expect({"tolerance", "energy_tolerance", "velocity_tolerance", "max_iterations",
                 "definiteness", "linear", "reuse_factor", "threads", "on_failure",
                 "max_halvings"});
  SolverOptions& s = settings.solver;
  // One number for all; whoever sets one of the two that it stands for need not know of the other.
  const bool given = reader.has("tolerance") || reader.has("energy_tolerance");
  if (reader.has("tolerance")) s.energy_tolerance = reader.positive("tolerance");
  s.energy_tolerance = reader.positive("energy_tolerance", s.energy_tolerance);
  if (given) s.velocity_tolerance = kVelocityByEnergy * s.energy_tolerance;
  s.velocity_tolerance = reader.positive("velocity_tolerance", s.velocity_tolerance);
  s.newton.max_iterations = reader.whole("max_iterations", 1, kMostSteps, s.newton.max_iterations);
  s.newton.definiteness =
      reader.choice("definiteness", {"project", "shift"}, "project") == "project"
          ? Definiteness::project
          : Definiteness::shift;
  const std::string linear = reader.choice("linear", {"auto", "cholesky", "pcg"}, "auto");
  s.newton.linear = linear == "auto"  ? LinearChoice::automatic
                    : linear == "pcg" ? LinearChoice::pcg
                                      : LinearChoice::cholesky;
  settings.threads = reader.whole("threads", 0, kMostThreads, settings.threads);
  s.newton.reuse_factor = reader.flag("reuse_factor", s.newton.reuse_factor);
  const bool halve = reader.choice("on_failure", {"halve", "stop"}, "halve") == "halve";
  const int halvings = reader.whole("max_halvings", 1, 30, 6);
  settings.max_halvings = halve ? halvings : 0;
  reader.finish();
}

void read_output(TableReader reader, bool small, SceneSettings& settings) {
  reader.expect({"every", "series_every", "checkpoint_every", "interval", "pictures", "precision",
                 "formats", "up", "report"});
  // A row of every step would fill disks: 10⁶ of them are 230 MB.
  constexpr double kMostRows = 100000;
  const double steps =
      settings.variable_steps() ? settings.duration / settings.step : settings.steps;
  const int sparse = static_cast<int>(std::clamp(std::ceil(steps / kMostRows), 1.0, 1e9));
  settings.output.thinned =
      sparse > 1 && (!reader.has("series_every") || (small && !reader.has("every")));
  settings.output.every =
      reader.whole("every", 0, kMostSteps, small ? sparse : settings.output.every);
  settings.output.series_every = reader.whole("series_every", 1, kMostSteps, sparse);
  if (reader.has("checkpoint_every")) {
    settings.output.checkpoint_every = reader.whole("checkpoint_every", 0, kMostSteps, 0);
  }
  if (reader.has("interval")) settings.output.interval = reader.positive("interval");
  settings.output.pictures = reader.words("pictures", {"svg", "png"}, settings.output.pictures);
  settings.output.float64 =
      reader.choice("precision", {"float64", "float32"}, "float64") == "float64";
  settings.output.formats = reader.words("formats", frame_formats(), settings.output.formats);
  settings.output.up = reader.choice("up", {"y", "z"}, "y") == "y" ? UpAxis::y : UpAxis::z;
  settings.output.report = reader.flag("report", settings.output.report);
  reader.finish();
}

// "avf, implicit-midpoint, …": those that are symmetric with their default parameters.
std::string symmetric_methods() {
  std::string names;
  for (const Method& m : methods()) {
    if (make_scheme(m.name).claims.symmetric) names += (names.empty() ? "" : ", ") + m.name;
  }
  return names;
}

// The rule alone: how the integrator's duration is read depends on it.
void read_step_control_kind(TableReader& reader, SceneSettings& settings) {
  reader.expect({"kind", "tolerance", "exponent", "min_step", "max_step"});
  const std::string kind = reader.choice("kind", {"fixed", "error", "reversible"}, "fixed");
  settings.control.kind = kind == "error"        ? StepControlKind::error
                          : kind == "reversible" ? StepControlKind::reversible
                                                 : StepControlKind::fixed;
}

// The rest, once method and first step are known.
void read_step_control(TableReader& reader, SceneSettings& settings) {
  StepControlOptions& c = settings.control;
  const bool error = c.kind == StepControlKind::error;
  const bool reversible = c.kind == StepControlKind::reversible;
  if (reversible && !settings.scheme.claims.symmetric) {
    reader.fail("kind", fmt::format("reversible steps need a symmetric method, which {} is not; "
                                    "these are: {}",
                                    settings.scheme.label, symmetric_methods()));
  }
  // Keys of other kinds are a mistake in a scene, but not when the kind was exchanged from outside.
  const auto applies = [&](const std::string& key, bool here, std::string_view to) {
    if (here || !reader.has(key)) return here;
    if (!reader.overridden("kind") || reader.overridden(key)) {
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
    if (c.exponent > 4)
      reader.fail("exponent", "the exponent must be at most 4: steps would vanish");
  }
  if (applies("min_step", error || reversible, "variable") && reader.has("min_step")) {
    c.min_step = reader.positive("min_step");
    if (*c.min_step > settings.step) {
      reader.fail("min_step", fmt::format("must not be above the first step, {}", settings.step));
    }
  }
  if (applies("max_step", error || reversible, "variable") && reader.has("max_step")) {
    c.max_step = reader.positive("max_step");
    if (*c.max_step < settings.step) {
      reader.fail("max_step", fmt::format("must not be below the first step, {}", settings.step));
    }
  }
  reader.finish();
}

}  // namespace

void read_settings(TableReader& root, const RunLength& length, SceneSettings& settings) {
  TableReader step_control = root.table("step_control");
  read_step_control_kind(step_control, settings);
  const bool stepped =
      root.recover([&] { read_integrator(root.table("integrator"), length, settings); });
  if (stepped) root.recover([&] { read_step_control(step_control, settings); });
  root.recover([&] { read_solver(root.table("solver"), settings); });
  settings.control.step = settings.step;
  settings.control.max_halvings = settings.max_halvings;
  root.recover([&] { read_output(root.table("output"), root.has("system"), settings); });
}

}  // namespace lilyan
