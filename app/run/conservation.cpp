#include "app/run/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/files/series.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/contact/obstacle_contact.hpp"

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
  if (energy.kept() == Kept::conserved || energy.worst <= energy.rounding) return {};
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
  return scene.settings.scheme.claims.energy == EnergyBehaviour::bounded &&
         scene.settings.control.kind != StepControlKind::error && system.forces().empty() &&
         system.dissipations().empty() && system.impulses().empty() && system.motions().empty() &&
         std::ranges::none_of(scene.bodies().obstacles,
                              [](const Obstacle& o) { return o.motion.moves(); });
}

}  // namespace

DriftTracker follow_drift(const Scene& scene) { return follow_drift(scene, scene.initial); }

DriftTracker follow_drift(const Scene& scene, const State& initial) {
  return {*scene.system, initial, invariants(*scene.system, initial), promises_band(scene)};
}

Watch::Watch(const Scene& scene) : scene_(scene) {
  if (!scene.small().observables) return;
  has_exact_ = scene.small().observables->has_exact;
  for (const auto& [name, found] : scene.small().observables->invariants) {
    invariants_.push_back({.name = name, .found = found});
  }
}

void Watch::start(const State& initial, double kinetic, double contact_depth) {
  first_ = initial;
  if (!invariants_.empty()) {
    const double* values = scene_.small().observables->invariant_values(initial);
    for (Quantity& q : invariants_) {
      q.start = *values++;
      q.deviation = {.start = std::abs(q.start), .promised_bounded = promises_band(scene_)};
    }
  }
  add(initial, kinetic, contact_depth);
}

// What the velocities contribute to each invariant, and how much the positions or the velocities alone would
// have changed it.
void Watch::measure(const State& state) {
  const Observables& o = *scene_.small().observables;
  mixed_ = state;
  mixed_.v.setZero();
  const double* values = o.invariant_values(mixed_);
  for (Quantity& q : invariants_) {
    const double part = q.now - *values++;
    const double d = q.now - q.start;
    // A quantity that has grown has larger parts. One that was lost has smaller ones.
    if (part * d > 0) q.grown = std::max(q.grown, std::abs(d));
    q.deviation.exchanges(std::abs(part), q.grown);
  }
  const auto compare = [&] {
    values = o.invariant_values(mixed_);
    for (Quantity& q : invariants_) {
      q.deviation.exchanges(std::abs(*values++ - q.start), q.grown);
    }
  };
  mixed_.v = first_.v;
  compare();
  mixed_.v = state.v;
  mixed_.x = first_.x;
  compare();
  const double* terms = o.invariant_scales(state);
  for (Quantity& q : invariants_) {
    q.largest_terms = std::max(q.largest_terms, std::abs(q.now) + std::abs(*terms++));
  }
}

void Watch::add(const State& state, double kinetic, double contact_depth) {
  contact_depth_ = std::max(contact_depth_, contact_depth);
  if (!invariants_.empty()) {
    const double* values = scene_.small().observables->invariant_values(state);
    for (Quantity& q : invariants_) q.now = *values++;
    // The sizes are looked at in the first 64 moments, then in 32 of each twice as many.
    const long every = static_cast<long>(std::bit_floor(static_cast<unsigned long>(seen_)) / 32);
    if (seen_ < 64 || seen_ % every == 0) measure(state);
    for (Quantity& q : invariants_) {
      q.deviation.add_motion(state.t, kinetic);
      q.deviation.add(state.t, q.now - q.start);
      q.deviation.rounding = rounding_of(q.largest_terms, static_cast<double>(seen_));
    }
    ++seen_;
  }
  if (has_exact_) {
    error_ = scene_.small().observables->exact_error(state);
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
  if (scene_.bodies().have_contact()) names.emplace_back("contact_depth");
  return names;
}

std::vector<double> Watch::take_values() {
  std::vector<double> values;
  for (const Quantity& q : invariants_) values.push_back(q.now);
  if (has_exact_) values.push_back(error_);
  if (scene_.bodies().have_contact()) values.push_back(std::exchange(contact_depth_, 0.0));
  return values;
}

std::vector<std::pair<std::string, double>> last_state(const Scene& scene, const State& state,
                                                       double energy) {
  constexpr std::size_t kMostCoordinates = 100;
  const std::size_t n = scene.small().coordinates.size();
  std::vector<std::pair<std::string, double>> all = {{"energy", energy}};
  for (std::size_t i = 0; n <= kMostCoordinates && i < 2 * n; ++i) {
    const std::size_t c = i % n;
    const Vector& values = i < n ? state.x : state.v;
    all.emplace_back((i < n ? "" : "v_") + scene.small().coordinates[c],
                     values[static_cast<Eigen::Index>(c)]);
  }
  // (Of a body that several processes share not all masses are here.)
  if (n > 0 || scene.shared) return all;
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

std::string_view describe(SizeOf of) {
  switch (of) {
    case SizeOf::start: return "its size at the start";
    case SizeOf::exchange: return "what its parts exchange";
    case SizeOf::part_of_kinetic: return "a hundredth of the largest kinetic energy";
    case SizeOf::kinetic: return "the largest kinetic energy";
    case SizeOf::work: return "the work of forces";
    case SizeOf::initial_kinetic: return "the kinetic energy at the start";
    case SizeOf::initial_elastic: return "the elastic energy at the start";
    case SizeOf::initial_contact: return "the contact energy at the start";
    case SizeOf::fall: return "the weight times the radius";
    case SizeOf::strain: return "the energy of a strain of 1e-6";
    case SizeOf::motion: return "what a motion of this energy can carry";
  }
  return "";
}

namespace {

// "65 % of E₀", "9.8e-06 of E₀"; "9.8e-06" where there is no size.
std::string share(double value, std::string_view size, bool with_sign = false) {
  const double much = std::abs(value);
  if (size.empty()) return with_sign ? fmt::format("{:+.1e}", value) : fmt::format("{:.1e}", value);
  if (!(much >= 0.01 && much < 100)) {
    return with_sign ? fmt::format("{:+.1e} of {}", value, size)
                     : fmt::format("{:.1e} of {}", value, size);
  }
  const double percent = 100 * value;
  const int digits = much < 0.1 ? 1 : 0;
  return with_sign ? fmt::format("{:+.{}f} % of {}", percent, digits, size)
                   : fmt::format("{:.{}f} % of {}", percent, digits, size);
}

std::string how_it_drifts(const Deviation& d, std::string_view size) {
  if (!std::isfinite(d.worst)) return "drifts: it is not a finite number any more";
  const double last = d.course.last();
  std::string text = "drifts, by " + share(d.share(last), size, true);
  if (d.judge().why == Deviation::Why::once) {
    text += fmt::format(", most of it before t = {:.3g}", d.course.settled());
  } else {
    text += " over the run";
  }
  if (std::abs(last) < 0.9 * d.worst) text += ", by up to " + share(d.worst_relative(), size);
  return text;
}

std::string what_was_seen(const Deviation& d, std::string_view symbol, std::string_view size,
                          int steps) {
  const auto [kept, why] = d.judge();
  const std::string band = "in a band of " + share(d.relative_band(), size);
  switch (kept) {
    case Kept::conserved: {
      const std::string worst = fmt::format("conserved, |{}|{}{} ≤ {:.1e}", symbol,
                                            size.empty() ? "" : "/", size, d.worst_relative());
      if (why != Deviation::Why::rounding) return worst;
      return worst + ", to rounding errors, which hide less than " +
             share(d.share(d.rounding), size);
    }
    case Kept::bounded:
      return fmt::format("bounded, {}, drift {:+.0e}{}{} a step", band,
                         d.relative_drift() / std::max(steps, 1), size.empty() ? "" : " ", size);
    case Kept::undecided:
      if (why == Deviation::Why::hidden) {
        return "undecided, as rounding errors of its terms hide changes of up to " +
               share(d.share(d.rounding), size);
      }
      if (why == Deviation::Why::widens) {
        return fmt::format(
            "undecided, {} so far, which still widens: the run is too short to tell a beat from a "
            "growth",
            band);
      }
      return fmt::format("undecided, {} so far: the run is too short to tell a swing from a drift",
                         band);
    case Kept::drifts: break;
  }
  return how_it_drifts(d, size);
}

}  // namespace

std::string how_kept(const Deviation& d, std::string_view symbol, std::string_view size,
                     int steps) {
  const Size compared = d.size();
  // Where nothing moves there is no size, and the numbers are changes.
  const std::string_view unit = compared.value > 0 ? size : "";
  const std::string seen = what_was_seen(d, symbol, unit, steps);
  if (!(compared.value > 0)) return seen;
  if (compared.of == SizeOf::start) {
    return fmt::format("{} ({} = {:.3g} at the start)", seen, size, compared.value);
  }
  return fmt::format("{} ({} = {:.3g}, {})", seen, size, compared.value, describe(compared.of));
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
