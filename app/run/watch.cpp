#include "app/run/watch.hpp"

#include <algorithm>
#include <cmath>

#include "app/scene/observables.hpp"

namespace lilyan {

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
      q.worst = std::max(q.worst, std::abs(q.now - q.start));
      q.scale = std::max(q.scale, std::abs(q.now));
    }
    // An invariant that is zero is a sum of terms that are not. At the 1st, 2nd, 4th, … moment.
    if ((seen_ & (seen_ + 1)) == 0) {
      const double* sizes = scene_.observables->invariant_scales(state);
      for (Quantity& q : invariants_) q.scale = std::max(q.scale, std::abs(*sizes++));
    }
    ++seen_;
  }
  if (has_exact_) {
    error_ = scene_.observables->exact_error(state);
    worst_error_ = std::max(worst_error_, error_);
  }
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

}  // namespace lilyan
