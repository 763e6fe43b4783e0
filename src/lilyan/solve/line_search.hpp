// How far to go along a direction.
#pragma once

#include "lilyan/base/function_ref.hpp"
#include "lilyan/solve/equation.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/objective.hpp"

namespace lilyan {

// A search along a direction from a point where Φ is known. `rounding` bounds the errors of Φ there, and is
// asked for when needed.
struct Descent {
  const Objective& objective;
  const Iterate& at;
  const Vector& direction;
  double slope;  // ∇Φ·direction
  FunctionRef<void(Iterate&)> evaluate;
  FunctionRef<Objective::Rounding(double terms)> rounding;
};

// The length of a step that lowers Φ, to `trial`; zero when there is none. `scratch` is a further point.
double backtrack(const Descent& search, Iterate& trial, Iterate& scratch);

// A modified Hessian can be far stiffer than Φ is along the direction, most of all where Φ curves
// down, near a saddle: goes on from `trial`, at length one, while Φ falls as steeply as at the start. Returns the
// length.
double lengthen(const Descent& search, Iterate& trial, Iterate& scratch);

// A search for a root along a direction.
struct RootSearch {
  Equation& equation;
  const Iterate& at;
  const Vector& direction;
  int trials;  // at most
  FunctionRef<void(Iterate&)> evaluate;
};

// The length of a step that lowers ‖F‖, or the merit function, to `trial`; zero when there is none.
double lower_norm(const RootSearch& search, Iterate& trial);
double lower_merit(const RootSearch& search, MeritFunction& merit, Iterate& trial);

}  // namespace lilyan
