// The sum of a system's external forces.
#pragma once

#include "lilyan/core/fixed.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// force += weight F(t, x, v), zero at fixed vertices. `scratch` has the same size.
inline void add_forces(const System& system, double t, const Vector& x, const Vector& v,
                       double weight, Vector& scratch, Vector& force) {
  scratch.setZero();
  for (const auto& f : system.forces()) f->add(t, x.data(), v.data(), scratch.data());
  stop_fixed(system, scratch);
  force += weight * scratch;
}

// diagonal += weight · (−∂F_i/∂v_i).
inline void add_damping(const System& system, double t, const Vector& x, const Vector& v,
                        double weight, Vector& scratch, Vector& diagonal) {
  scratch.setZero();
  for (const auto& f : system.forces()) f->add_damping(t, x.data(), v.data(), scratch.data());
  stop_fixed(system, scratch);
  diagonal += weight * scratch.cwiseMax(0.0);
}

}  // namespace lilyan
