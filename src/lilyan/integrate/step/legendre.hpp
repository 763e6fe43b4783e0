// Velocities from momenta: the inverse of p = ∂L/∂v(t, q, v).
#pragma once

#include <Eigen/Dense>

#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/integrate/constrained/constraint_set.hpp"

namespace lilyan {

class Legendre {
 public:
  // The system must have a Lagrangian and outlive this.
  explicit Legendre(const System& system);

  void momentum(double t, const Vector& q, const Vector& v, Vector& p) const;

  // Solves  ∂L/∂v(t, q, v) = p + Gᵀμ,  G v = 0  for v and μ (without constraints: ∂L/∂v = p), from
  // the v given, and adds Gᵀμ to p. `jacobian` is G(q).
  // h: the step whose end this is; what the rounding of positions over that time makes of a
  // velocity is no error.
  StepStatus velocity(double t, double h, const Vector& q, Vector& p, Vector& v,
                      const ConstraintSet::Jacobian* jacobian);

 private:
  double residual(double t, const Vector& q, const Vector& p, const Vector& v,
                  const ConstraintSet::Jacobian* jacobian);
  double measure(const Vector& v, const ConstraintSet::Jacobian* jacobian);

  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  int n_, m_;
  double noise_ = 0;    // of velocities
  double overall_ = 0;  // error in units of the largest terms
  Vector gradient_, terms_, row_size_, row_sum_, rate_, multiplier_, residual_, step_, trial_,
      column_;
  DenseMatrix qq_, qv_, vv_, matrix_;
  Eigen::PartialPivLU<DenseMatrix> lu_;
};

}  // namespace lilyan
