// Interpreter of tables for systems with constraints g(x) = 0: a KKT solve for the step and a
// projection of its velocity. G = ∂g/∂x; G₀, G₁ at the two ends of the step.
//
// Variational methods: SHAKE and RATTLE for any Hamilton–Pontryagin table (Ryckaert, Ciccotti,
// Berendsen 1977; Andersen 1983; Kharevych et al. 2006, section 3.5; Hairer, Lubich, Wanner 2006,
// section VII.1.4). A constraint force is a kick at the old position, where ∇g is G₀:
//
//   M (d − h v₀) + h² Σ βᵢ ∇E(x₀+θᵢd) − h² G₀ᵀλ = 0,   g(x₀+d) = 0                              (1)
//   v₁ = r(d − h² M⁻¹G₀ᵀλ) + h M⁻¹G₀ᵀλ,   r the table's rule for v₁                             (2)
//   v₁ ← v₁ − M⁻¹G₁ᵀμ  with  G₁v₁ = 0                                                           (3)
//
// For HP(α), (2) is  p₁ = M u + α h f(x_α), their eq (6). This is the method's discrete Lagrangian
// restricted to the constraint manifold, so the step is symplectic there, and symmetric where the
// method is. λ, not a minimisation subject to g(x₁) = 0: that would push along G₁.
//
// Energy-conserving methods (AVF): constraints push along the averaged Jacobian,
//
//   x₁ = x₀ + ½h (v₀+v₁),   M (v₁−v₀) = −h ∫∇E + h Ḡᵀλ,   Ḡ = Σ bᵢ G(x₀+cᵢd),   g(x₁) = 0       (4)
//
// so that their work λᵀḠd = λᵀ(g(x₁)−g(x₀)) is zero (Gonzalez: Mechanical systems subject to
// holonomic constraints, Physica D 132, 1999). But (4) leaves G v free: its normal part follows
// n₁ = −n₀ + O(h²), which alternates in sign from step to step with an amplitude of O(h²) that
// never decays (unit pendulum over 10⁵ steps: from rest at 120°, |Gv| up to 8e-4 at h = 0.05 and
// 1e-2 at h = 0.2; going round, 0.14 at h = 0.5; the total energy exact all along). Projecting v₁
// would take energy out. So the step starts from v₀ + N₀ν and ends, before the projection (3), with
// the normal part N₁ν:
//
//   v₀' = v₀ + N₀ν,   (4) from v₀' to v₁',   v₁ = v₁' − N₁ν,   N = M⁻¹GᵀL⁻ᵀ,  LLᵀ = G M⁻¹Gᵀ     (5)
//
// The columns of N are orthonormal in M: ½|ν|² of kinetic energy goes in and the same comes out, so
// energy is exact, G₁v₁ = 0 is exact, and the step is symmetric (a symmetric projection, Hairer,
// Lubich, Wanner 2006, section V.4.1). ν = O(h²) is found within the solve.
//
// AVF with a torque adds f to the forces of (4), which does no work either, and projects v₁ a last time
// (step/momentum_solve.hpp). The impulses of ν are along G₀ and G₁, where constraints have no torque
// about what they let a body turn about.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/path_balance.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/step/momentum_solve.hpp"
#include "lilyan/integrate/step/path_nodes.hpp"
#include "lilyan/integrate/step/potential_cache.hpp"
#include "lilyan/integrate/step/renewals.hpp"
#include "lilyan/integrate/step/step_objective.hpp"
#include "lilyan/integrate/step/table_plan.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/root.hpp"

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

// That equation as a solve for all momenta sees it.
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

class ConstrainedIntegrator final : public Integrator {
 public:
  // Throws Error for schemes that are compositions or do not support constraints.
  ConstrainedIntegrator(const World& world, const Scheme& scheme, const SolverOptions& options);
  // Throws ConstraintError when the first state does not obey the constraints, or these depend on
  // one another there.
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override {
    a(path_nodes_, checked_);
    if (momentum_) a(*momentum_);
  }
  [[nodiscard]] std::string_view linear_solver() const override;
  [[nodiscard]] NewtonTimes times() const override;

 private:
  bool begin(const State& state, double h, StepReport& report);
  bool solve(const State& state, double h, StepReport& report);
  // Finds z from the guess at hand; false when that failed, which the report then says.
  bool find_root(StepReport& report);
  bool keep_momenta(const State& state, double h, StepReport& report);
  bool solve_adaptive(const State& state, double h, StepReport& report);
  void find_velocity(const State& state, double h);
  // Takes the normal part out of velocity_ at end_x_; false when the constraints are singular.
  bool project();
  [[nodiscard]] Ledger ledger(const State& state, double h, const StepReport& report);
  [[nodiscard]] Ledger variational_ledger(const State& state, double h, const StepReport& report);
  [[nodiscard]] Ledger averaged_ledger(const State& state, double h, const StepReport& report);

  const System& system_;
  SolverOptions options_;
  TablePlan plan_;
  bool forced_;
  bool checked_ = false;  // the state the run started from
  Assembler assembler_;
  PotentialCache potential_;
  PathBalance balance_;  // of steps with adaptive nodes
  StepObjective objective_;
  ConstrainedEquation equation_;
  RootFinder root_;
  ConstrainedMomentumEquation momentum_equation_;
  Renewals renewals_;
  bool warm_ = false;                        // d_ is a good guess
  std::unique_ptr<MomentumSolve> momentum_;  // only with tables that ask for it
  PathNodes path_nodes_;
  std::vector<Node> average_;  // (cᵢ, bᵢ) of (4)

  ConstraintSet::Jacobian end_jacobian_;
  DenseMatrix end_gram_;
  GramFactor end_factor_;
  Vector end_values_, normal_, rate_;
  Vector z_, multipliers_, scales_, residual_, left_;
  Vector d_, velocity_, end_x_, start_gradient_, end_gradients_, end_forces_, impulse_, projection_,
      known_velocity_;  // projection_: the impulse of (3)
};

// Variational (symplectic) one-stage methods, explicit ones with one drift among them; those that
// conserve energy exactly by averaging forces; and compositions of these.
[[nodiscard]] bool supports_constraints(const Scheme& scheme);
// "newmark(…) cannot keep constraints; methods that can: avf, …", with the reason where the same
// method can with other parameters.
[[nodiscard]] std::string constraints_unsupported(const Scheme& scheme);
// One stage, y = h v₀ and forces at nodes; it averages forces only where the constrained step is to
// do so as well. Throws Error for other schemes, compositions included.
[[nodiscard]] MinimisationTable constrained_table(const Scheme& scheme);

}  // namespace lilyan
