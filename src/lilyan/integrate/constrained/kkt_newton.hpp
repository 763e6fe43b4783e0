// Newton's method for the equations of a constrained step (constrained_objective.hpp).
//
//   H δ − Cᵀ(λ₊ − λ) = −(∇Φ − Cᵀλ),   G δ = −g                                                  (1)
//
// with the Cholesky factor of H, the free step's Hessian made definite where it is not, and a dense
// Schur complement G H⁻¹Cᵀ. That is nonsymmetric, so its factor is an LU; its size is the number of
// equations, which is why constraints come in tens or hundreds, not in ten thousands.
//
// With λ₊ held fixed, δ = −H⁻¹∇(Φ − λ₊ᵀC d) is a descent direction of Φ − λ₊ᵀC d for any definite
// H, and |g| falls along it too: the line search looks at the sum of both.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/integrate/constrained/constrained_objective.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

class KktNewton {
 public:
  // The pattern must outlive this; null when Φ has no energies in it, so that H is diagonal.
  KktNewton(const System& system, int equations, const BlockPattern* pattern,
            const NewtonOptions& options);

  // From the given d; on success d and multipliers() solve the equations up to residual() and
  // values().
  NewtonResult solve(ConstrainedObjective& objective, Vector& d);

  [[nodiscard]] const Vector& multipliers() const { return lambda_; }
  [[nodiscard]] const Vector& residual() const { return residual_; }  // ∇Φ − Cᵀλ̂
  [[nodiscard]] const Vector& values() const { return g_; }
  [[nodiscard]] const LinearSolver* linear_solver() const { return linear_.get(); }
  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  // A guess where Φ is finite, and the equations there. False when there is none.
  bool start(ConstrainedObjective& objective, Vector& d, NewtonResult& result);
  // Linearises about d and finds residual_, g_ and phi_ there; a trial's gradient and values serve
  // where linearising changes nothing.
  bool arrive(ConstrainedObjective& objective, const Vector& d, NewtonResult& result);
  bool factorise(ConstrainedObjective& objective, const Vector& d, NewtonResult& result);
  void solve_hessian(const Vector& right, Vector& solution);
  // direction_ and new_lambda_; false when the Schur complement is singular.
  bool find_direction(ConstrainedObjective& objective, bool new_columns);
  // Length of the accepted step, 0 when there is none.
  double search(ConstrainedObjective& objective, const Vector& d, NewtonResult& result);
  double evaluate(ConstrainedObjective& objective, const Vector& d, Vector& gradient, Vector& g,
                  NewtonResult& result);
  // √(‖residual‖² + ‖g‖²), both as displacements in the norm of M.
  double norm(const ConstrainedObjective& objective, double residual_norm, const Vector& g);
  // Whether the residual that these multipliers leave at d is rounding error. Overwrites trial_.
  bool at_rounding(ConstrainedObjective& objective, const Vector& d, const Vector& residual,
                   const Vector& lambda);

  const BlockPattern* pattern_;
  NewtonOptions options_;
  std::unique_ptr<LinearSolver> linear_;
  std::vector<double> hessian_;
  NewtonTimes times_;
  double phi_ = 0;
  double norm_ = 0;
  DenseMatrix columns_, schur_;  // H⁻¹Cᵀ, G H⁻¹Cᵀ
  Eigen::PartialPivLU<DenseMatrix> lu_;
  // Over all degrees of freedom, except those named free; over the equations.
  Vector gradient_, residual_, trial_gradient_, trial_, direction_, diagonal_, right_;
  Vector free_right_, free_solution_;
  Vector lambda_, new_lambda_, change_, g_, trial_g_, scratch_g_;
};

}  // namespace lilyan
