// The equation of a step with constraints, and how Newton's method solves it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/step/momentum_solve.hpp"
#include "lilyan/step/step_objective.hpp"

namespace lilyan {

// The equations of one constrained step, for z = (d, λ̂):
//
//   ∇Φ(d) − C(d)ᵀλ̂ = 0,   g(x₀+d) = 0,   λ̂ = h²λ · (share of the force in the stage)            (1)
//
// Φ is the objective of the step without constraints (step_objective.hpp). The rows of C are the
// directions in which constraints push:
//
//   start:     C = G(x₀): variational methods (SHAKE)                                           (2)
//   averaged:  C = Σ bᵢ G(x₀+cᵢd), so that C d = g(x₁) − g(x₀): energy-conserving methods       (3)
//
// In the averaged case the step starts from v₀ + Nν, with N the unit normals at x₀ and ν such that
// the velocity it arrives with has the normal part ν again (constrained.hpp says why).
//
// Newton's method solves
//
//   H δ − Cᵀ(λ₊ − λ̂) = −(∇Φ − Cᵀλ̂),   G δ = −g                                                  (4)
//
// with the Cholesky factor of H, the free step's Hessian made definite where it is not, and a dense
// Schur complement G H⁻¹Cᵀ. That is nonsymmetric, so its factor is an LU; its size is the number of
// equations, which is why constraints come in tens or hundreds, not in ten thousands.
//
// With λ₊ held fixed, δ = −H⁻¹∇(Φ − λ₊ᵀC d) is a descent direction of Φ − λ₊ᵀC d for any definite
// H, and |g| falls along it too: the sum of both is the merit function,
//
//   Φ(d) − λ₊ᵀC d + |λ₊| |g(x₀+d)|,   |λ₊| = ‖L₀ᵀλ₊‖,  |g| = ‖L₀⁻¹g‖,  L₀L₀ᵀ = G₀M⁻¹G₀ᵀ.         (5)
class ConstrainedEquation final : public Equation, private MeritFunction {
 public:
  // The pattern must outlive this; null when Φ has no energies in it, so that H is diagonal.
  ConstrainedEquation(const System& system, StepObjective& free, const BlockPattern* pattern,
                      Definiteness definiteness);

  struct Problem {
    const Vector* x0;
    const Vector* v0;
    double h;
    // (cᵢ, bᵢ) of (3); empty: (2).
    std::span<const Node> average;
  };
  // Jacobian, its factor and the size of the terms at x₀; false when singular there.
  bool begin(const Vector& x0);
  // After begin() and after the free objective was prepared, with its target as without
  // constraints. Makes a guess for z of one for d.
  void prepare(const Problem& problem, const Vector& d, Vector& z);

  Size evaluate(const Vector& z, Vector& residual) override;
  Arrival arrive(const Vector& z) override;
  std::optional<StepStatus> judge(const Vector& z, const Vector& residual,
                                  const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Vector& z, const Vector& residual) override;
  double defect(const Vector& z, const Vector& residual) override;
  [[nodiscard]] bool at_rounding(const Vector& z, const Vector& residual) override;
  [[nodiscard]] bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] StepStatus singular() const override { return singular_; }
  // Multipliers always take all of their change.
  void move(const Vector& z, double length, const Vector& direction, Vector& trial) const override;
  void pull_back(Vector& z, double factor) const override;
  [[nodiscard]] MeritFunction* merit() override { return this; }

  [[nodiscard]] const ConstraintSet& set() const { return set_; }
  // Of a residual: √(‖residual‖² + |g|²), both as displacements in the norm of M.
  [[nodiscard]] double norm(const Vector& residual);
  // How many times its rounding error the worst g is.
  [[nodiscard]] double gap(const Vector& residual) const;
  // Whether there is a matrix of this step.
  [[nodiscard]] bool factorised() const { return factorised_; }
  // C as of the last arrival.
  [[nodiscard]] const ConstraintSet::Jacobian& directions() const {
    return averaged() ? mean_ : start_;
  }
  // At x₀, from begin().
  [[nodiscard]] const Vector& start_values() const { return start_values_; }
  [[nodiscard]] const Vector& start_scale() const { return scale_; }
  [[nodiscard]] const ConstraintSet::Jacobian& start_jacobian() const { return start_; }
  [[nodiscard]] const GramFactor& start_factor() const { return start_factor_; }
  [[nodiscard]] const DenseMatrix& start_gram() const { return gram_; }
  [[nodiscard]] const Vector& normal_speed() const { return nu_; }
  // M N ν, the impulse at the start of the step.
  [[nodiscard]] const Vector& normal_impulse() const { return normal_impulse_; }
  [[nodiscard]] const LinearSolver* linear_solver() const { return cholesky_.get(); }

 private:
  [[nodiscard]] bool averaged() const { return !problem_.average.empty(); }
  // Everything that the solve takes as constant about d: G(x₀+d), C, ν, external forces. False when
  // the constraints are singular there.
  bool linearise(const Vector& d);
  bool find_normal_speed(const Vector& d);
  // ‖L₀⁻¹g‖, how far from the constraints in the norm of M.
  [[nodiscard]] double distance(const Vector& g);
  // Whether every |g| is at most `factor` times the rounding error of its terms.
  [[nodiscard]] bool closed(const Vector& g, double factor) const;
  // Whether the residual that these multipliers leave at d is rounding error.
  [[nodiscard]] bool at_rounding(const Vector& d, const Vector& g, const Vector& residual,
                                 const Vector& lambda);
  void solve_hessian(const Vector& right, Vector& solution);
  [[nodiscard]] bool rounding_is_harmless(const Vector& z, const Vector& residual) override;

  Slope begin_search(const Vector& z, const Vector& residual, const Vector& direction) override;
  double change(double length, double value, const Vector& trial_residual) override;
  double rounding(const Vector& z) override;

  const System& system_;
  StepObjective& free_;
  ConstraintSet set_;
  const BlockPattern* pattern_;
  Definiteness definiteness_;
  bool forced_;
  int n_, m_;
  Problem problem_{};
  StepStatus singular_ = StepStatus::singular_constraints;

  // Constraints at the start, at the end, averaged and at a node, and what is made of them.
  ConstraintSet::Jacobian start_, end_, mean_, node_;
  GramFactor start_factor_, end_factor_;
  DenseMatrix gram_, end_gram_, mix_;
  DenseLu mix_lu_;
  [[nodiscard]] double closing_scale(int k) const;
  double reach_ = 0;  // the largest displacement at the point of linearisation
  Vector start_values_, scale_, nu_, normal_right_;
  Vector plain_target_, normal_impulse_, x_, velocity_;

  // The linear system (4).
  std::unique_ptr<LinearSolver> cholesky_;
  std::vector<double> hessian_;
  Vector diagonal_;
  DenseMatrix columns_, schur_;  // H⁻¹Cᵀ, G H⁻¹Cᵀ
  bool new_columns_ = true;      // columns_ is outdated
  bool factorised_ = false;      // in this step
  DenseLu lu_;

  // For the search: the weight of |g|, the value of |g| at its begin, and λ₊ᵀC δ.
  double weight_ = 0;
  double start_distance_ = 0;
  double push_ = 0;
  bool good_ = false;  // the point last judged is as accurate as asked for

  // Workspace, over all degrees of freedom, over the free ones, and over the equations.
  Vector d_, gradient_, right_, solution_;
  Vector free_right_, free_solution_;
  Vector g_, lambda_, scratch_;
  Vector correction_;  // of z, over all of it
};

// The constrained equation as a solve for all momenta sees it.
class ConstrainedMomentumEquation final : public MomentumEquation {
 public:
  ConstrainedMomentumEquation(ConstrainedEquation& equation, StepObjective& free)
      : equation_(equation), free_(free) {}
  bool evaluate(const Vector& z, Vector& residual) override;
  [[nodiscard]] double norm(const Vector& left) override { return equation_.norm(left); }
  double defect(const Vector& z, const Vector& left) override;
  [[nodiscard]] double velocity_error() const override { return velocity_error_; }
  [[nodiscard]] bool closed() const override { return closed_; }
  // What is left has the same sign in step after step.
  [[nodiscard]] double target() const override { return 0.01; }
  bool solve(const Vector& z, const Vector& left, const Newton::Correction& request,
             Vector& direction, SolverWork& work) override;
  void add_constraints(const Vector& z, Vector& sum) override;
  [[nodiscard]] StepObjective& objective() override { return free_; }
  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  ConstrainedEquation& equation_;
  StepObjective& free_;
  double velocity_error_ = 0;
  bool closed_ = false;
  NewtonTimes times_;
  Vector multipliers_;
};

}  // namespace lilyan
