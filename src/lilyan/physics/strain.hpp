// Strain damping (Kharevych et al. 2006, section 5.2): what is damped is the deformation that
// happens within one step. With E(C(a,b)) the elastic energy of the shape b, a being undeformed,
// the impulses are
//   explicit:  −k ∇E(C(x₋₁, x₀))   at the start of the step, from the step before               (1)
//   implicit:  −k ∇E(C(x₀, x₁))    over the step, R(v) = (k/h²) E(C(x₀, x₀ + h v))              (2)
// both derivatives by the second argument. k has the unit of time, and the motion does not depend
// on h: E is quadratic in the step's strain, so (1) and (2) are −h k K v for small steps, K being
// the stiffness of the shape at x₀ as if it were free of stress.
//
// Neither resists rigid motion. (1) acts at x₀, where it has no torque: both momenta are exact. (2)
// has no torque about x₁, but acts over the step: linear momentum is exact, angular momentum up to
// O(h²) in a step.
#pragma once

#include "lilyan/core/dissipation.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/impulse.hpp"

namespace lilyan {

// (1). The energy must outlive this. Throws Error for k < 0 and for energies without moving rest.
class ExplicitStrainDamping final : public Impulse {
 public:
  ExplicitStrainDamping(const Energy& energy, double k);
  void add(const double* x_previous, const double* x, double* impulse) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return true; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return true; }

 private:
  const Energy& energy_;
  double k_;
};

// (2), likewise.
class ImplicitStrainDamping final : public Dissipation {
 public:
  ImplicitStrainDamping(const Energy& energy, double k, int dofs);
  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return energy_.stencils();
  }
  void begin_step(const StepStart& start, std::vector<double>& lagged) const override;
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return true; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return false; }

 private:
  const Energy& energy_;
  double k_;
  int dofs_;
};

}  // namespace lilyan
