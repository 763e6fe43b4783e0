// Equations F(z) = 0 that are not the gradient of anything.
#pragma once

#include <optional>

#include "lilyan/base/types.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

// A function that a search lowers instead of ‖F‖: where the equations say that a function Φ is
// stationary under conditions, a small ‖F‖ may belong to a maximum, and a small Φ does not.
// Iterate carries the value of Φ, and the conditions' part is added here.
class MeritFunction {
 public:
  virtual ~MeritFunction() = default;

  struct Slope {
    double value = 0;
    // The direction is nothing but rounding error, and so is the sign of the slope: a full step is
    // good if it shrinks ‖F‖.
    bool noise = false;
  };
  // Begins a search from a point along a direction.
  virtual Slope begin_search(const Iterate& at, const Vector& direction) = 0;
  // The change after a step of this length, which led to `trial`.
  virtual double change(double length, const Iterate& at, const Iterate& trial) = 0;
  // Bound on the error of a change from rounding alone.
  virtual double rounding(const Iterate& at, const Iterate& trial) = 0;
};

// F(z) = 0. What is an error, when it is small enough, and how the linear systems are solved is the
// equation's business; the search for the root is RootFinder's.
class Equation {
 public:
  Equation() = default;
  Equation(const Equation&) = delete;
  Equation& operator=(const Equation&) = delete;
  virtual ~Equation() = default;

  // F at at.z, ‖F‖, and the value of Φ where there is a merit function.
  virtual void evaluate(Iterate& at) = 0;

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
    double slack = 1;  // errors so many times as large as what is allowed are good enough
    [[nodiscard]] bool stalled() const { return contraction > 0.5; }
  };
  // Whether the search may end at a point, and as what: by default converged when its defect is ≤ 1, and
  // round_off when only rounding errors are left that do not shrink any more.
  virtual std::optional<StepStatus> judge(const Iterate& at, const Step& last);
  // Whether the search may end, as above, where no step along the direction shrinks ‖F‖.
  virtual std::optional<StepStatus> judge_stuck(const Iterate& at);
  [[nodiscard]] virtual Defect defect(const Iterate& at) = 0;
  // Whether F may be nothing but rounding error. The Jacobian has been factorised there or nearby.
  [[nodiscard]] virtual bool at_rounding(const Iterate& at) = 0;

  // Whether what rounding left of F is small beside what the step does: only then is "solved to rounding
  // error" a success.
  [[nodiscard]] virtual bool rounding_is_harmless(const Iterate& at) {
    static_cast<void>(at);
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

}  // namespace lilyan
