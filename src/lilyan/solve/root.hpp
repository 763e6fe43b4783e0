// Newton's method for equations F(z) = 0 that are not the gradient of anything.
#pragma once

#include <optional>

#include "lilyan/base/types.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

// A function that a search lowers instead of ‖F‖: where the equations say that a function Φ is
// stationary under conditions, a small ‖F‖ may belong to a maximum, and a small Φ does not.
// Equation::Size carries the value of Φ, and the conditions' part is added here.
class MeritFunction {
 public:
  virtual ~MeritFunction() = default;

  struct Slope {
    double value = 0;
    // The direction is nothing but rounding error, and so is the sign of the slope: a full step is
    // good if it shrinks ‖F‖.
    bool noise = false;
  };
  // Begins a search from z along a direction.
  virtual Slope begin_search(const Vector& z, const Vector& residual, const Vector& direction) = 0;
  // The change after a step of this length, at whose end Φ has changed by `value`.
  virtual double change(double length, double value, const Vector& trial_residual) = 0;
  // Bound on the error of a change from rounding alone.
  virtual double rounding(const Vector& z) = 0;
};

// F(z) = 0. What is an error, when it is small enough, and how the linear systems are solved is the
// equation's business; the search for the root is RootFinder's.
class Equation {
 public:
  Equation() = default;
  Equation(const Equation&) = delete;
  Equation& operator=(const Equation&) = delete;
  virtual ~Equation() = default;

  struct Size {
    double norm = 0;   // ‖F‖, infinite or not a number where F is not defined
    double value = 0;  // Φ of the merit function, where there is one
  };
  virtual Size evaluate(const Vector& z, Vector& residual) = 0;

  // Called at every point that the search arrives at, to renew what F takes as constant about a
  // point. After `changed` F is evaluated again, and `singular` ends the search.
  enum class Arrival { same, changed, singular };
  virtual Arrival arrive(const Vector& z) {
    static_cast<void>(z);
    return Arrival::same;
  }

  // The step that led to a point: the share of the direction, ‖F‖ after it over ‖F‖ before. Both are
  // zero where the search begins.
  struct Step {
    double length = 0;
    double contraction = 0;
    [[nodiscard]] bool stalled() const { return contraction > 0.5; }
  };
  // Whether the search may end at z, and as what: by default converged when defect() ≤ 1, and
  // round_off when only rounding errors are left that do not shrink any more.
  virtual std::optional<StepStatus> judge(const Vector& z, const Vector& residual,
                                          const Step& last);
  // Whether the search may end, as above, where no step along the direction shrinks ‖F‖.
  virtual std::optional<StepStatus> judge_stuck(const Vector& z, const Vector& residual);
  // Error left in the result divided by what is allowed.
  virtual double defect(const Vector& z, const Vector& residual) = 0;
  // Whether F may be nothing but rounding error. The Jacobian has been factorised at or near z.
  [[nodiscard]] virtual bool at_rounding(const Vector& z, const Vector& residual) = 0;

  // Whether what rounding left of F is small beside what the step does: only then is "solved to rounding
  // error" a success.
  [[nodiscard]] virtual bool rounding_is_harmless(const Vector& z, const Vector& residual) {
    static_cast<void>(z);
    static_cast<void>(residual);
    return true;
  }

  // Whether the factors at hand are good enough for another direction.
  [[nodiscard]] virtual bool keeps_factors(const Step& last) const;
  // Assembles and factorises ∂F/∂z at z. False when it is singular.
  [[nodiscard]] virtual bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) = 0;
  // direction = −(∂F/∂z)⁻¹ residual, with the factors at hand; not finite when they are singular.
  virtual void solve(const Vector& residual, Vector& direction) = 0;
  // How a search ends when one of the last two fails.
  [[nodiscard]] virtual StepStatus singular() const { return StepStatus::no_descent; }

  // trial = z + length · direction, where all unknowns take the same share of it.
  virtual void move(const Vector& z, double length, const Vector& direction, Vector& trial) const {
    trial = z + length * direction;
  }
  // Scales a guess towards the start of the step, where F is always defined. Prescribed unknowns
  // stay.
  virtual void pull_back(Vector& z, double factor) const { z *= factor; }
  // The function that a search lowers; null: ‖F‖.
  [[nodiscard]] virtual MeritFunction* merit() { return nullptr; }
};

// Unlike a minimisation, a root find without a merit function has no objective that leads to the
// solution: its line search can only lower ‖F‖, and where ‖F‖² has a local minimum that is not a
// root it gets stuck there. It is as good as its starting point.
class RootFinder {
 public:
  // Without `timed` the clock is never asked, which small systems would notice.
  RootFinder(Eigen::Index size, const NewtonOptions& options, bool timed = true);

  // From the given z. On success z is the root, residual() what is left of F there, and F was last
  // evaluated there. The status no_descent says that ‖F‖ has a local minimum, or something close to
  // it, away from any root.
  NewtonResult solve(Equation& equation, Vector& z, long max_iterations);

  [[nodiscard]] const Vector& residual() const { return residual_; }
  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  Equation::Size evaluate(const Vector& z, Vector& residual);
  // The guess, pulled back until F is defined there, or while that lowers the merit function.
  Equation::Size start(Vector& z);
  // Tells the equation of a point; false when it is singular there.
  bool arrive(const Vector& z, Equation::Size& size);
  // The length of a step that helps, to trial_; zero when there is none.
  double search(const Vector& z, const Equation::Size& size, bool fresh, Equation::Size& trial);
  double search_merit(const Vector& z, const Equation::Size& size, bool fresh,
                      Equation::Size& trial);

  NewtonOptions options_;
  bool timed_;
  NewtonTimes times_;
  Equation* equation_ = nullptr;  // the one that is being solved
  SolverWork work_;
  bool evaluated_here_ = false;  // F was last evaluated at z, not at a trial point
  Vector residual_, trial_residual_, trial_, direction_;
};

}  // namespace lilyan
