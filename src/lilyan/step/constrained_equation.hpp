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
#include "lilyan/step/stage_equation.hpp"

namespace lilyan {

// The equations of one constrained step, for z = (d, λ̂):
//
//   ∇Φ(d) − C(d)ᵀλ̂ = 0,   g(x₀+d) = 0,   λ̂ = h²λ · (share of the force in the stage)            (1)
//
// Φ is the function of the step without constraints (stage_equation.hpp). The rows of C are the
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
  // The pattern, which may grow between steps, must outlive this; null when Φ has no energies in it, so that H is diagonal.
  ConstrainedEquation(StageWorkspace& work, const BlockPattern* pattern, Definiteness definiteness);

  struct Problem {
    StageTerms free;  // of the step without constraints
    const Vector* v0 = nullptr;
    std::span<const Node> average = {};  // (cᵢ, bᵢ) of (3); empty: (2)
  };
  // Jacobian, its factor and the size of the terms at x₀; false when singular there.
  bool begin(const Vector& x0);
  // After begin(). Makes a guess for z of one for d.
  void prepare(const Problem& problem, const Vector& d, Vector& z);

  void evaluate(Iterate& at) override;
  Arrival arrive(const Vector& z) override;
  std::optional<StepStatus> judge(const Iterate& at, const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Iterate& at) override;
  [[nodiscard]] Defect defect(const Iterate& at) override;
  [[nodiscard]] bool at_rounding(const Iterate& at) override;
  [[nodiscard]] bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] StepStatus singular() const override { return singular_; }
  // Multipliers always take all of their change.
  void move(const Vector& z, double length, const Vector& direction, Vector& trial) const override;
  void pull_back(Vector& z, double factor) const override;
  [[nodiscard]] MeritFunction* merit() override { return this; }

  // The equation without constraints, and its forces as of the last arrival.
  [[nodiscard]] const StageEquation& stage() const { return *free_.equation; }
  [[nodiscard]] const Linearised& forces() const { return free_.forces; }
  void average_strain(bool over_strain) {
    free_.equation = free_.equation->averaging_strain(over_strain);
  }
  [[nodiscard]] const ConstraintSet& set() const { return set_; }
  // Of a residual: √(‖residual‖² + |g|²), both as displacements in the norm of M.
  [[nodiscard]] double norm(const Vector& residual);
  // How many times its rounding error the worst g is.
  [[nodiscard]] double gap(const Vector& residual) const;
  // Whether there is a matrix of this step.
  [[nodiscard]] bool factorised() const { return linear_.factorised; }
  // C as of the last arrival.
  [[nodiscard]] const ConstraintSet::Jacobian& directions() const {
    return averaged() ? average_.directions : start_.jacobian;
  }
  // At x₀, from begin().
  [[nodiscard]] const Vector& start_values() const { return start_.values; }
  [[nodiscard]] const Vector& start_scale() const { return start_.scale; }
  [[nodiscard]] const ConstraintSet::Jacobian& start_jacobian() const { return start_.jacobian; }
  [[nodiscard]] const GramFactor& start_factor() const { return start_.factor; }
  [[nodiscard]] const DenseMatrix& start_gram() const { return start_.gram; }
  [[nodiscard]] const Vector& normal_speed() const { return normal_.speed; }
  // M N ν, the impulse at the start of the step.
  [[nodiscard]] const Vector& normal_impulse() const { return normal_.impulse; }
  [[nodiscard]] const LinearSolver* linear_solver() const { return linear_.cholesky.get(); }

 private:
  void make_matrix();  // unless there is one of the pattern as it is
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
  [[nodiscard]] bool rounding_is_harmless(const Iterate& at) override;

  Slope begin_search(const Iterate& at, const Vector& direction) override;
  double change(double length, const Iterate& at, const Iterate& trial) override;
  double rounding(const Iterate& at, const Iterate& trial) override;

  [[nodiscard]] double closing_scale(int k) const;

  // The equation of the step without constraints, whose target moves with the normal speed.
  struct Free {
    std::optional<StageEquation> equation;
    Linearised forces;
    Iterate part;
    Vector plain_target, target;
  };
  // Constraints at the start and at the end; averaged and at a node.
  struct Start {
    ConstraintSet::Jacobian jacobian;
    DenseMatrix gram;
    GramFactor factor;
    Vector values, scale;
  };
  struct End {
    ConstraintSet::Jacobian jacobian;
    DenseMatrix gram;
    GramFactor factor;
    double reach = 0;  // the largest displacement at the point of linearisation
  };
  struct Average {
    ConstraintSet::Jacobian directions, node;
  };
  struct Normal {
    Vector speed, impulse, right, velocity;  // ν, M N ν
    DenseMatrix mix;
    DenseLu lu;
  };
  // The linear system (4).
  struct Linear {
    std::unique_ptr<LinearSolver> cholesky;
    int version = 0;  // of the pattern that it is for
    std::vector<double> hessian;
    Vector diagonal;
    DenseMatrix columns, schur;  // H⁻¹Cᵀ, G H⁻¹Cᵀ
    bool new_columns = true;     // columns are outdated
    bool factorised = false;     // in this step
    DenseLu lu;
    Vector right, solution;  // over the free degrees of freedom
  };
  // The weight of |g|, the value of |g| at the begin of the search, and λ₊ᵀC δ.
  struct Search {
    double weight = 0;
    double start_distance = 0;
    double push = 0;
  };
  // Workspace, over all degrees of freedom, over the equations, and over both.
  struct Here {
    Vector d, x, gradient, right, solution;
    Vector g, lambda, scratch;
    Vector correction;
  };

  const System& system_;
  StageWorkspace& work_;
  ConstraintSet set_;
  const BlockPattern* pattern_;
  Definiteness definiteness_;
  bool forced_;
  int n_, m_;
  Problem problem_{};
  StepStatus singular_ = StepStatus::singular_constraints;
  Free free_;
  Start start_;
  End end_;
  Average average_;
  Normal normal_;
  Linear linear_;
  Search search_;
  bool good_ = false;  // the point last judged is as accurate as asked for
  Here here_;
};

// The constrained equation as a solve for all momenta sees it.
class ConstrainedMomentumEquation final : public MomentumEquation {
 public:
  explicit ConstrainedMomentumEquation(ConstrainedEquation& equation) : equation_(equation) {}
  bool evaluate(Iterate& at) override;
  [[nodiscard]] double norm(const Vector& left) override { return equation_.norm(left); }
  [[nodiscard]] Defect defect(const Iterate& at) override;
  bool at_rounding(const Iterate& at) override { return equation_.at_rounding(at); }
  [[nodiscard]] bool closed(const Iterate& at) const override;
  // What is left has the same sign in step after step.
  [[nodiscard]] double target() const override { return 0.01; }
  bool solve(const Iterate& at, const Newton::Correction& request, Vector& direction,
             SolverWork& work) override;
  void add_constraints(const Vector& z, Vector& sum) override;
  [[nodiscard]] const StageEquation& stage() const override { return equation_.stage(); }
  [[nodiscard]] const Linearised& forces() const override { return equation_.forces(); }
  void average_strain(bool over_strain) override { equation_.average_strain(over_strain); }
  [[nodiscard]] const NewtonTimes& times() const { return times_; }

 private:
  ConstrainedEquation& equation_;
  NewtonTimes times_;
  Vector multipliers_;
};

}  // namespace lilyan
