#include "app/run/describe.hpp"

#include <fmt/format.h>

namespace lilyan {
namespace {

Verdict verdict(std::string_view what, std::string_view ratio, const Deviation& d, bool symmetry) {
  if (!symmetry) {
    return {Verdict::Kind::no_invariant, fmt::format("{} is not an invariant of this scene", what)};
  }
  const bool kept = d.worst_relative() <= kConserved;
  return {kept ? Verdict::Kind::kept : Verdict::Kind::not_kept,
          fmt::format("{} {}conserved, {} ≤ {:.1e}", what, kept ? "" : "not ", ratio,
                      d.worst_relative())};
}

}  // namespace

std::string describe_size(const Scene& scene) {
  const auto count = [](std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (!scene.coordinates.empty()) {
    return count(scene.coordinates.size(), "degree of freedom", "degrees of freedom");
  }
  std::string text =
      fmt::format("{}, {} vertices ({} fixed)", count(scene.body_names.size(), "body", "bodies"),
                  scene.system->vertices(), scene.system->fixed_count());
  if (!scene.tets.empty()) text += ", " + count(scene.tets.size(), "tet", "tets");
  if (!scene.triangles.empty()) {
    text += ", " + count(scene.triangles.size(), "triangle", "triangles");
  }
  if (!scene.edges.empty()) text += ", " + count(scene.edges.size(), "segment", "segments");
  if (scene.springs > 0) text += ", " + count(scene.springs, "spring", "springs");
  return text;
}

std::string_view time_unit(const Scene& scene) { return scene.coordinates.empty() ? " s" : ""; }

std::string describe_plan(const Scene& scene) {
  const std::string_view unit = time_unit(scene);
  if (!scene.variable_steps())
    return fmt::format("{} steps of {}{}", scene.steps, scene.step, unit);
  return fmt::format(
      "{} steps over {}{}",
      scene.control.kind == StepControlKind::error ? "error-controlled" : "reversible",
      scene.duration, unit);
}

std::vector<Verdict> verdicts(const System& system, const RunSummary& summary,
                              const DriftTracker& drift) {
  const bool worked = !system.forces().empty() || summary.ledger.work != 0;
  const bool damped = summary.ledger.dissipation != 0;
  std::vector<Verdict> all = {
      damped ? verdict("energy less work and dissipation", "|ΔE−W+D|/E₀", drift.energy(), true)
      : worked ? verdict("energy less the work of forces", "|ΔE−W|/E₀", drift.energy(), true)
               : verdict("energy", "|ΔE|/E₀", drift.energy(), true)};
  if (system.dimension() == 3) {
    all.push_back(verdict("linear momentum", "|ΔP|/|P|", drift.linear_momentum(),
                          system.translation_invariant()));
    all.push_back(verdict("angular momentum", "|ΔL|/|L|", drift.angular_momentum(),
                          system.rotation_invariant()));
  }
  return all;
}

}  // namespace lilyan
