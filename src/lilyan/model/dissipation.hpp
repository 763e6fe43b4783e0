// Dissipation: forces that are the gradient of a convex function of the velocity.
#pragma once

#include <vector>

#include "lilyan/model/energy.hpp"

namespace lilyan {

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
  const BlockSlots* slots = nullptr;    // needed with hessian
  double projection = 0;                // as in Evaluation
  const WorldMemory* memory = nullptr;  // of the energies that change between steps
};

// A Rayleigh function R(v), with the force −∂R/∂v. Whatever else it depends on (where the body is,
// how hard it presses) lags behind: it is taken at the start of the step and does not change within
// it. These lagged numbers belong to the integrator.
class Dissipation {
 public:
  Dissipation() = default;
  Dissipation(const Dissipation&) = delete;
  Dissipation& operator=(const Dissipation&) = delete;
  virtual ~Dissipation() = default;

  // `memory` is that of the energies that change between steps, here and below: friction reads the
  // memory of its contact. Null: as these energies were when they were made.
  [[nodiscard]] virtual Stencils stencils(const WorldMemory* memory) const = 0;
  [[nodiscard]] virtual DissipationVelocity velocity() const { return DissipationVelocity::path; }

  // Fills `lagged` from the start of the step.
  virtual void begin_step(const StepStart& /*start*/, std::vector<double>& /*lagged*/) const {}
  // Renews `lagged` from the step x → x + d just solved for, which is then to be solved again.
  // Returns how much that changed, relative to its size, in all processes; zero when there is nothing to renew.
  virtual double renew(const StepStart& /*start*/, const double* /*d*/,
                       std::vector<double>& /*lagged*/) const {
    return 0;
  }
  // Whether a step fails as long as renew() still changes something that an invariant depends on.
  [[nodiscard]] virtual bool must_settle(const StepStart& /*start*/) const { return false; }
  // R(v), and its derivatives as asked for.
  virtual double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const = 0;

  // Power that the force −∂R/∂v delivers to things that move by themselves (a conveyor belt), with
  // the sign of ∂R/∂v · v: it is work, not dissipation. Reads v and memory of `at`.
  [[nodiscard]] virtual double driven_power(const std::vector<double>& /*lagged*/,
                                            const RateEvaluation& /*at*/) const {
    return 0;
  }

  // Whether its forces have no sum, and no torque about the start of the step.
  [[nodiscard]] virtual bool keeps_linear_momentum() const = 0;
  [[nodiscard]] virtual bool keeps_angular_momentum() const = 0;
};

}  // namespace lilyan
