// Newton's method for equations that are not the gradient of anything.
#pragma once

#include <string_view>

#include "lilyan/core/step_report.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

// F(d) = 0 over all degrees of freedom. Entries of fixed vertices stay as given: residuals and
// directions are zero there.
class Equation {
 public:
  Equation() = default;
  Equation(const Equation&) = delete;
  Equation& operator=(const Equation&) = delete;
  virtual ~Equation() = default;

  // F(d); not a number where it is not defined.
  virtual void evaluate(const Vector& d, Vector& residual) = 0;
  // Scales a guess towards the start of the step; what is prescribed stays.
  virtual void pull_back(Vector& d, double factor) const { d *= factor; }
  // Assembles and factorises ∂F/∂d at d. False when it is singular.
  [[nodiscard]] virtual bool factorise(const Vector& d) = 0;
  // direction = −(∂F/∂d)⁻¹ residual, with the factors at hand.
  virtual void solve(const Vector& residual, Vector& direction) = 0;
  // Error left in the result divided by what is allowed: done when ≤ 1.
  virtual double defect(const Vector& d, const Vector& residual) = 0;
  [[nodiscard]] virtual double norm(const Vector& residual) const = 0;
  // Bound on the error of norm(residual) from rounding alone, with the factorised Jacobian.
  [[nodiscard]] virtual double rounding(const Vector& d) const = 0;
};

// Unlike a minimisation, a root find has no objective that leads to the solution: its line search
// can only lower ‖F‖, and where ‖F‖² has a local minimum that is not a root it gets stuck there. It
// is as good as its starting point.
class RootFinder {
 public:
  explicit RootFinder(Eigen::Index size, const NewtonOptions& options);

  // From the given d; on success d is the root and residual() what is left of F there. The status
  // no_descent says that ‖F‖ has a local minimum, or something close to it, away from any root.
  NewtonResult solve(Equation& equation, Vector& d, int max_iterations);

  [[nodiscard]] const Vector& residual() const { return residual_; }
  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  NewtonOptions options_;
  NewtonTimes times_;
  Vector residual_, trial_residual_, trial_, direction_;
};

}  // namespace lilyan
