#include "app/run/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/files/series.hpp"
#include "app/run/runner.hpp"
#include "app/scene/observables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/drift.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

Verdict verdict(std::string_view what, std::string_view symbol, std::string_view size,
                const Deviation& d, bool symmetry, int steps) {
  if (!symmetry) {
    return {std::nullopt, fmt::format("{} is not an invariant of this scene", what)};
  }
  return {d.kept(), fmt::format("{} {}", what, how_kept(d, symbol, size, steps))};
}

// Where a mean of forces that is not exact is what changed the energy, a better one keeps it.
std::string remedy(const RunSummary& summary, const Deviation& energy) {
  if (energy.kept() == Kept::conserved) return {};
  if (std::abs(summary.ledger.quadrature) < 0.5 * energy.now || energy.now == 0) return {};
  // Its own choice of points is for forces of bodies; contact between bodies may need more.
  return summary.chooses_points
             ? " (by the method's quadrature, although it is \"auto\": a smaller integrator.step "
               "keeps it better)"
             : " (by the method's quadrature: integrator.quadrature = \"auto\" keeps it)";
}

// What symplectic methods promise of the energy holds for systems that keep their energy, and for steps of
// one length or of a reversible choice.
bool promises_band(const Scene& scene) {
  const System& system = *scene.system;
  return scene.scheme.claims.energy == EnergyBehaviour::bounded &&
         scene.control.kind != StepControlKind::error && system.forces().empty() &&
         system.dissipations().empty() && system.impulses().empty() && system.motions().empty() &&
         std::ranges::none_of(scene.obstacles, [](const Obstacle& o) { return o.motion.moves(); });
}

}  // namespace

DriftTracker follow_drift(const Scene& scene) { return follow_drift(scene, scene.initial); }

DriftTracker follow_drift(const Scene& scene, const State& initial) {
  return {*scene.system, initial, invariants(*scene.system, initial), promises_band(scene)};
}

Watch::Watch(const Scene& scene) : scene_(scene) {
  if (!scene.observables) return;
  has_exact_ = scene.observables->has_exact;
  for (const auto& [name, found] : scene.observables->invariants) {
    invariants_.push_back({.name = name, .found = found});
  }
}

void Watch::start(const State& initial, double contact_depth) {
  add(initial, contact_depth);
  for (Quantity& q : invariants_) {
    q.start = q.now;
    q.deviation = {.scale = q.deviation.scale};
  }
}

void Watch::add(const State& state, double contact_depth) {
  contact_depth_ = std::max(contact_depth_, contact_depth);
  if (!invariants_.empty()) {
    const double* values = scene_.observables->invariant_values(state);
    for (Quantity& q : invariants_) {
      q.now = *values++;
      q.deviation.add(state.t, q.now - q.start);
      q.deviation.scale = larger(q.deviation.scale, std::abs(q.now));
    }
    // An invariant that is zero is a sum of terms that are not zero: their size is the scale. It is
    // looked at in the 1st, 2nd, 4th, … moment.
    if ((seen_ & (seen_ + 1)) == 0) {
      const double* sizes = scene_.observables->invariant_scales(state);
      for (Quantity& q : invariants_) {
        q.deviation.scale = std::max(q.deviation.scale, std::abs(*sizes++));
      }
    }
    ++seen_;
  }
  if (has_exact_) {
    error_ = scene_.observables->exact_error(state);
    worst_error_ = larger(worst_error_, error_);
  }
}

void Watch::require_finite(int step, double t) const {
  const auto fail = [&](const std::string& name, double value) {
    throw NotFinite(step, t, name, value);
  };
  for (const Quantity& q : invariants_) {
    if (!std::isfinite(q.now)) fail("invariant_" + q.name, q.now);
  }
  if (has_exact_ && !std::isfinite(error_)) fail("exact_error", error_);
}

std::vector<std::string> Watch::columns() const {
  std::vector<std::string> names;
  for (const Quantity& q : invariants_) names.push_back("invariant_" + q.name);
  if (has_exact_) names.emplace_back("exact_error");
  if (scene_.has_contact()) names.emplace_back("contact_depth");
  return names;
}

std::vector<double> Watch::take_values() {
  std::vector<double> values;
  for (const Quantity& q : invariants_) values.push_back(q.now);
  if (has_exact_) values.push_back(error_);
  if (scene_.has_contact()) values.push_back(std::exchange(contact_depth_, 0.0));
  return values;
}

std::vector<std::pair<std::string, double>> last_state(const Scene& scene,
                                                       const RunSummary& summary) {
  constexpr std::size_t kMostCoordinates = 100;
  const State& state = summary.state;
  const std::size_t n = scene.coordinates.size();
  std::vector<std::pair<std::string, double>> all = {{"energy", summary.invariants.total}};
  for (std::size_t i = 0; n <= kMostCoordinates && i < 2 * n; ++i) {
    const std::size_t c = i % n;
    const Vector& values = i < n ? state.x : state.v;
    all.emplace_back((i < n ? "" : "v_") + scene.coordinates[c],
                     values[static_cast<Eigen::Index>(c)]);
  }
  // (Of a body that several processes share not all masses are here.)
  if (n > 0 || scene.ranks) return all;
  const auto masses = scene.system->vertex_masses();
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    mass += masses[i];
    sum += masses[i] * state.x.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
  for (int a = 0; a < 3 && mass > 0; ++a) {
    all.emplace_back(fmt::format("center_{}", "xyz"[a]), sum[a] / mass);
  }
  return all;
}

std::string how_kept(const Deviation& d, std::string_view symbol, std::string_view size,
                     int steps) {
  switch (d.kept()) {
    case Kept::conserved:
      return fmt::format("conserved, |{}|/{} ≤ {:.1e}", symbol, size, d.worst_relative());
    case Kept::bounded:
      return fmt::format("bounded, in a band of {:.1e} {}, drift {:+.0e} {} a step",
                         d.relative_band(), size, d.relative_drift() / std::max(steps, 1), size);
    case Kept::undecided:
      return fmt::format(
          "undecided, in a band of {:.1e} {} so far: the run is too short to tell a swing from a "
          "drift",
          d.relative_band(), size);
    case Kept::drifts: break;
  }
  return fmt::format("drifts, by {:+.1e} {} over the run, |{}|/{} ≤ {:.1e}", d.relative_drift(),
                     size, symbol, size, d.worst_relative());
}

std::vector<Verdict> verdicts(const System& system, const RunSummary& summary,
                              const DriftTracker& drift) {
  const bool worked = !system.forces().empty() || summary.ledger.work != 0;
  const bool damped = summary.ledger.dissipation != 0;
  const std::string_view what = damped   ? "energy less work and dissipation"
                                : worked ? "energy less the work of forces"
                                         : "energy";
  const std::string_view symbol = damped ? "ΔE−W+D" : worked ? "ΔE−W" : "ΔE";
  std::vector<Verdict> all = {verdict(what, symbol, "E₀", drift.energy(), true, summary.steps)};
  all[0].text += remedy(summary, drift.energy());
  if (system.dimension() == 3) {
    all.push_back(verdict("linear momentum", "ΔP", "|P|", drift.linear_momentum(),
                          system.translation_invariant(), summary.steps));
    all.push_back(verdict(describe_spin(drift.spin()), "ΔL", "|L|", drift.angular_momentum(),
                          drift.spin().any(), summary.steps));
  }
  if (const BodySpins::Body* worst = summary.worst_body()) {
    const std::string each = fmt::format(
        "angular momentum of each of {} bodies while apart (worst: {})", summary.bodies.size(),
        worst->name.empty() ? "one without a name" : worst->name);
    all.push_back(verdict(each, "ΔL", "|L|", worst->angular, true, summary.steps));
  }
  return all;
}

}  // namespace lilyan
