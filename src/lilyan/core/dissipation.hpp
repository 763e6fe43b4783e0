// Dissipation: forces that are the gradient of a convex function of the velocity.
#pragma once

#include <vector>

#include "lilyan/core/energy.hpp"

namespace lilyan {

// What is known when a step begins. Pointers are to all degrees of freedom.
struct StepStart {
  double h = 0;
  const double* x = nullptr;
};

// Which velocity a dissipation looks at.
enum class DissipationVelocity {
  path,  // that which external forces see: the mean u = (x₁−x₀)/h for most methods
  end,   // that of the end of the step, v₁
};

// One pass over a dissipation at the velocity v: adds
//   gradient_weight ∂R/∂v to `gradient`  and  hessian_weight ∂²R/∂v² to `hessian`
// (each only if not null).
struct RateEvaluation {
  const double* v = nullptr;
  double gradient_weight = 1;
  double* gradient = nullptr;
  double hessian_weight = 1;
  double* hessian = nullptr;
  const BlockSlots* slots = nullptr;  // needed with hessian
  double projection = 0;              // as in Evaluation
};

// A Rayleigh function R(v), with the force −∂R/∂v. What it depends on beside the velocity (where
// the body is, how hard it presses) is taken at the start of the step and kept for the step, in
// numbers that the integrator owns: a System is only read while stepping.
class Dissipation {
 public:
  Dissipation() = default;
  Dissipation(const Dissipation&) = delete;
  Dissipation& operator=(const Dissipation&) = delete;
  virtual ~Dissipation() = default;

  [[nodiscard]] virtual Stencils stencils() const = 0;
  [[nodiscard]] virtual DissipationVelocity velocity() const { return DissipationVelocity::path; }

  // Fills `kept` from the start of the step.
  virtual void begin_step(const StepStart& start, std::vector<double>& kept) const = 0;
  // Renews what is kept from the step x → x + d just solved for, which is then to be solved again.
  // Returns how much that changed, relative to its size; zero when there is nothing to renew.
  virtual double renew(const StepStart& start, const double* d, std::vector<double>& kept) const {
    static_cast<void>(start), static_cast<void>(d), static_cast<void>(kept);
    return 0;
  }
  // R(v), and its derivatives as asked for.
  virtual double evaluate(const std::vector<double>& kept, const RateEvaluation& at) const = 0;

  // Of ∂R/∂v · v, the part that goes into what moves by itself (a conveyor belt): its power is
  // work, not dissipation.
  [[nodiscard]] virtual double driven_power(const std::vector<double>& kept,
                                            const double* v) const {
    static_cast<void>(kept), static_cast<void>(v);
    return 0;
  }

  // Whether its forces have no sum, and no torque about the start of the step.
  [[nodiscard]] virtual bool keeps_linear_momentum() const = 0;
  [[nodiscard]] virtual bool keeps_angular_momentum() const = 0;
};

}  // namespace lilyan
