// The state that a step advances.
#pragma once

#include "lilyan/base/types.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

// Position and velocity at time t, both at the same time level. v is the velocity that belongs to
// the momentum, v = M⁻¹p: for HP(α ≠ ½) that differs from the mean velocity (x₁−x₀)/h of the step.
//
// The step before is kept for methods and predictors that look back; h_previous is 0 when there is
// none (at the start, or after x or v were set by hand).
struct State {
  double t = 0;
  Vector x = {};
  Vector v = {};

  double h_previous = 0;
  Vector x_previous = {};
  Vector v_previous = {};

  void archive(Archive& a) { a(t, x, v, h_previous, x_previous, v_previous); }
};

}  // namespace lilyan
