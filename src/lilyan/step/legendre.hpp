// Velocities from momenta: the inverse of p = ∂L/∂v(t, q, v).
#pragma once

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/solve/root.hpp"

namespace lilyan {

// The equations  ∂L/∂v(t, q, v) − Gᵀμ − p = 0,  G v = 0  for z = (v, μ), where G is the Jacobian of
// the constraints at q.
class Legendre final : private Equation {
 public:
  // The system must have a Lagrangian and outlive this.
  Legendre(const System& system, const NewtonOptions& options);

  void momentum(double t, const Vector& q, const Vector& v, Vector& p) const;

  // Solves the equations from the v given, and adds Gᵀμ to p. `jacobian` is G(q), null without
  // constraints. The step that ends here has the length h: errors of velocities that come from
  // the rounding of positions over that time do not count.
  StepStatus velocity(double t, double h, const Vector& q, Vector& p, Vector& v,
                      const ConstraintSet::Jacobian* jacobian);
  // v·Gᵀμ, with the μ found last.
  [[nodiscard]] double constraint_power(const Vector& v, const ConstraintSet::Jacobian& jacobian);

 private:
  Size evaluate(const Vector& z, Vector& residual) override;
  std::optional<StepStatus> judge(const Vector& z, const Vector& residual,
                                  const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Vector& z, const Vector& residual) override;
  double defect(const Vector& z, const Vector& residual) override;
  bool at_rounding(const Vector& z, const Vector& residual) override;
  bool keeps_factors(const Step& /*last*/) const override { return false; }
  bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  StepStatus singular() const override;
  double measure(const Vector& residual);

  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  RootFinder root_;
  int n_, m_;
  // The problem at hand.
  double t_ = 0;
  const Vector* q_ = nullptr;
  const Vector* p_ = nullptr;
  const ConstraintSet::Jacobian* jacobian_ = nullptr;

  double noise_ = 0;  // error of velocities by rounding
  // Errors in units of the terms that they are differences of, and in units of the largest terms;
  // at the z last evaluated.
  double worst_ = 0;
  double overall_ = 0;
  double overall_here_ = 0;  // at the z last judged
  Vector z_, v_, gradient_, terms_, row_size_, row_sum_, rate_, multiplier_, column_;
  DenseMatrix qq_, qv_, vv_, matrix_;
  DenseLu lu_;
};

}  // namespace lilyan
