#include "app/run/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/files/series.hpp"
#include "app/run/runner.hpp"
#include "app/scene/observables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/core/drift.hpp"
#include "lilyan/core/error.hpp"

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

Watch::Watch(const Scene& scene) : scene_(scene) {
  if (!scene.observables) return;
  has_exact_ = scene.observables->has_exact;
  for (const auto& [name, found] : scene.observables->invariants) {
    invariants_.push_back({.name = name, .found = found});
  }
}

void Watch::start(const State& initial) {
  add(initial);
  for (Quantity& q : invariants_) {
    q.start = q.now;
    q.worst = 0;
  }
}

void Watch::add(const State& state) {
  if (!invariants_.empty()) {
    const double* values = scene_.observables->invariant_values(state);
    for (Quantity& q : invariants_) {
      q.now = *values++;
      q.worst = larger(q.worst, std::abs(q.now - q.start));
      q.scale = larger(q.scale, std::abs(q.now));
    }
    // An invariant that is zero is a sum of terms that are not zero: their size is the scale. It is
    // looked at in the 1st, 2nd, 4th, … moment.
    if ((seen_ & (seen_ + 1)) == 0) {
      const double* sizes = scene_.observables->invariant_scales(state);
      for (Quantity& q : invariants_) q.scale = std::max(q.scale, std::abs(*sizes++));
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
  return names;
}

std::vector<double> Watch::values() const {
  std::vector<double> values;
  for (const Quantity& q : invariants_) values.push_back(q.now);
  if (has_exact_) values.push_back(error_);
  return values;
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
    all.push_back(verdict(describe_spin(drift.spin()), "|ΔL|/|L|", drift.angular_momentum(),
                          drift.spin().any()));
  }
  return all;
}

}  // namespace lilyan
