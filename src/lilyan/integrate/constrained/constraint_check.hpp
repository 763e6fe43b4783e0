// What must hold of constraints and of the state a run starts from.
#pragma once

#include "lilyan/core/error.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/integrate/constrained/constraint_set.hpp"

namespace lilyan {

// A constraint that cannot be kept, or a state that does not obey it.
class ConstraintError : public Error {
 public:
  ConstraintError(int constraint, const std::string& complaint)
      : Error(complaint), constraint_(constraint) {}
  [[nodiscard]] int constraint() const { return constraint_; }  // its place in the system

 private:
  int constraint_;
};

// Throws ConstraintError for constraints that follow from others, contradict them or act on nothing
// that can move, positions with g(x) ≠ 0 and velocities with G(x) v ≠ 0 (beyond a relative 1e-8).
void check_constraints(const System& system, const State& state);
// The same for velocities, positions and rank each on its own, with what the caller has at hand.
// In a body at rest all velocities are rounding error, so those that would change g by less than
// its own in a step h are no mistake.
void check_values(const System& system, const ConstraintSet& set, const Vector& g,
                  const Vector& scale, const ConstraintSet::Jacobian& jacobian);
void check_velocities(const System& system, const ConstraintSet& set, const Vector& rate,
                      const Vector& v, const ConstraintSet::Jacobian& jacobian, const Vector& scale,
                      double h);
[[noreturn]] void refuse_dependent(const System& system, const ConstraintSet& set, int equation,
                                   const DenseMatrix& gram, const Vector& g, const Vector& scale);

// Takes the part of the velocities out that would break the constraints: the nearest ones, in the
// norm of the masses, that keep them. The positions must obey them already.
void project_velocities(const System& system, State& state);

}  // namespace lilyan
