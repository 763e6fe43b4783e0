// The sum of a system's external forces.
#pragma once

#include <algorithm>

#include "lilyan/base/types.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

// force += weight F(t, x, v) as a step sees it, zero at fixed vertices. `scratch` has the same size.
inline void add_forces(const System& system, const TimeSpan& step, double t, const Vector& x,
                       const Vector& v, double weight, Vector& scratch, Vector& force) {
  scratch.setZero();
  for (const auto& f : system.forces()) {
    f->add_within_step(step, t, x.data(), v.data(), system.dofs(), scratch.data());
  }
  system.embedding().pull_back(scratch);
  force += weight * scratch;
}

// Whether a force jumps after t0 and before t1.
inline bool force_jumps(const System& system, double t0, double t1) {
  const double begin = std::min(t0, t1);
  const double end = std::max(t0, t1);
  return std::ranges::any_of(system.forces(), [&](const auto& f) {
    return std::ranges::any_of(f->jumps(), [&](double t) { return t > begin && t < end; });
  });
}

// diagonal += weight · (−∂F_i/∂v_i).
inline void add_damping(const System& system, double t, const Vector& x, const Vector& v,
                        double weight, Vector& scratch, Vector& diagonal) {
  scratch.setZero();
  for (const auto& f : system.forces()) f->add_damping(t, x.data(), v.data(), scratch.data());
  system.embedding().pull_back(scratch);
  diagonal += weight * scratch.cwiseMax(0.0);
}

}  // namespace lilyan
