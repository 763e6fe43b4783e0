// A point of an iteration, and what is known there.
#pragma once

#include <utility>

#include "lilyan/base/types.hpp"

namespace lilyan {

// The function says what it leaves behind besides the residual: nothing of an evaluation is kept elsewhere.
struct Iterate {
  Vector z;
  Vector residual;   // ∇Φ or F
  double value = 0;  // Φ, infinite or not a number where it is not defined
  double terms = 0;  // the size of the terms that Φ is a sum of
  double norm = 0;   // ‖F‖, likewise
  // Errors in units of the terms that they are differences of, each component in its own; and all of them in
  // units of the largest terms. (Of Lagrangians.)
  double relative = 0;
  double overall = 0;
  // What the equation of a step is made of: the weighted gradients of potentials, external forces, and the force
  // of dissipation, −∂R/∂v. Those that a step does not have are empty.
  Vector potential;
  Vector force;
  Vector dissipation;

  // Searches exchange points all the time.
  friend void swap(Iterate& a, Iterate& b) noexcept {
    a.z.swap(b.z);
    a.residual.swap(b.residual);
    std::swap(a.value, b.value);
    std::swap(a.terms, b.terms);
    std::swap(a.norm, b.norm);
    std::swap(a.relative, b.relative);
    std::swap(a.overall, b.overall);
    a.potential.swap(b.potential);
    a.force.swap(b.force);
    a.dissipation.swap(b.dissipation);
  }

  void resize(Eigen::Index size) {
    z.setZero(size);
    residual.setZero(size);
  }
};

}  // namespace lilyan
