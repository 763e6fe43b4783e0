// Newton's method for equations F(z) = 0.
#pragma once

#include "lilyan/solve/equation.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

// Unlike a minimisation, a root find without a merit function has no objective that leads to the
// solution: its line search can only lower ‖F‖, and where ‖F‖² has a local minimum that is not a
// root it gets stuck there. It is as good as its starting point.
class RootFinder {
 public:
  // Without `timed` the clock is never asked, which small systems would notice.
  RootFinder(Eigen::Index size, const NewtonOptions& options, bool timed = true);

  // From at.z, to an error `slack` times as large as what is allowed. On success `at` is the root, with what is
  // left of F there. The status no_descent says that ‖F‖ has a local minimum, or something close to it, away
  // from any root.
  NewtonResult solve(Equation& equation, Iterate& at, long max_iterations, double slack = 1);

  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  void evaluate(Equation& equation, Iterate& at, SolverWork& work);
  // The guess, pulled back until F is defined there, or while that lowers the merit function.
  void start(Equation& equation, Iterate& at, SolverWork& work);
  // Tells the equation of a point; false when it is singular there.
  bool arrive(Equation& equation, Iterate& at, SolverWork& work);
  // The length of a step that helps, to trial_; zero when there is none.
  double find_step(Equation& equation, const Iterate& at, bool fresh, SolverWork& work);

  NewtonOptions options_;
  NewtonTimes times_;
  Iterate trial_;
  Vector direction_;
};

}  // namespace lilyan
