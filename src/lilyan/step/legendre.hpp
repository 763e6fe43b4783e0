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
  void evaluate(Iterate& at) override;
  std::optional<StepStatus> judge(const Iterate& at, const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Iterate& at) override;
  Defect defect(const Iterate& at) override;
  bool at_rounding(const Iterate& at) override;
  bool keeps_factors(const Step& /*last*/) const override { return false; }
  bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  StepStatus singular() const override;
  // The largest error in units of the terms that it is a difference of, and in units of the largest terms.
  void measure(Iterate& at) const;

  // The problem at hand.
  struct Problem {
    double t = 0;
    const Vector* q = nullptr;
    const Vector* p = nullptr;
    const ConstraintSet::Jacobian* jacobian = nullptr;
    double noise = 0;  // error of velocities by rounding
  };
  struct Workspace {
    Iterate found;
    Vector v, gradient, terms, row_size, row_sum, rate, multiplier, column;
  };
  struct Matrix {
    DenseMatrix qq, qv, vv, all;
    DenseLu lu;
  };

  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  RootFinder root_;
  int n_, m_;
  Problem problem_;
  Workspace work_;
  Matrix matrix_;
};

}  // namespace lilyan
