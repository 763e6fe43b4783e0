// Interpreter of discrete-gradient tables: a root find, started from where the table says.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/potential_cache.hpp"

namespace lilyan {

// The equation of a discrete-gradient step,
//   F(d) = M (d − h v₀) + ½h² [∇̄E(x₀, d) − f(t₀+h/2, x₀+d/2, d/h) + ∂R(d/h)] = 0
// with f the external forces in the middle of the step and ∂R dissipation. An evaluation leaves ½h² ∇̄E in
// Iterate::potential, f in Iterate::force and −∂R in Iterate::dissipation.

// Inertia, tolerances, the linear solver.
class DiscreteEquation : public Equation {
 public:
  DiscreteEquation(const World& world, const FullPattern& pattern, const SolverOptions& options);

  // Sets the step, and the one in which forces see it. energy_scale and potential are those of its start, from which gravity is counted.
  void prepare(const State& start, double h, const TimeSpan& span, double energy_scale,
               double potential);

  void evaluate(Iterate& at) override;
  void pull_back(Vector& d, double factor) const override;
  [[nodiscard]] bool factorise(const Vector& d, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] Defect defect(const Iterate& at) override;
  [[nodiscard]] bool at_rounding(const Iterate& at) override;
  [[nodiscard]] bool rounding_is_harmless(const Iterate& at) override;

  // Power delivered to moving obstacles by dissipation, at d.
  [[nodiscard]] double driven_power(const Vector& d);
  [[nodiscard]] std::string_view linear_solver() const { return lu_->name(); }

 protected:
  // forces = ½h² ∇̄E, and the sparse part of its derivative by d.
  virtual void forces(const Vector& d, Vector& forces) = 0;
  virtual void derivative(const Vector& d, std::span<double> values) = 0;
  // Bound on the error of norm(residual) from rounding alone, with the factorised Jacobian.
  [[nodiscard]] virtual double rounding(const Vector& d);
  [[nodiscard]] double norm(const Vector& residual) const;
  void go_to_middle(const Vector& d);
  void solve_sparse(const Vector& right_side, Vector& solution);

  const System& system_;
  const FullPattern& pattern_;
  Assembler sums_;
  SparseMatrix jacobian_;
  struct Problem {
    const Vector* x0 = nullptr;
    double h = 0;
    double potential = 0;
    double energy_scale = 0;
    double t_middle = 0;
    TimeSpan span;
    Vector drift;  // h v₀
  } problem_;

 private:
  struct Workspace {
    std::vector<double> dissipation_hessian;
    Vector damping, x, v;  // empty without external forces
    Vector scratch;
    // What forces at x₀ are computed from, found when first needed in a step.
    Vector lengths;
    bool has_lengths = false;
    Vector right, solution;
  };

  const Mass& mass_;
  double energy_tolerance_;
  double velocity_tolerance_;
  bool forced_;
  DissipationAssembler dissipation_;
  Workspace work_;
  std::unique_ptr<GeneralSolver> lu_;
};

// Gonzalez's midpoint discrete gradient of the whole potential:
//   ∇̄E = ∇E(x½) + c d,   c = (E₁ − E₀ − ∇E(x½)·d)/|d|²                                          (1)
//   ∂∇̄E/∂d = ½∇²E(x½) + c I + d ⊗ ∇c,   ∇c = (∇E₁ − ∇E(x½) − ½∇²E(x½) d − 2c d)/|d|²            (2)
// The last term of (2) is a dense matrix of rank one. With A the sparse rest of ∂F/∂d and w = ½h²d,
//   (A + w ⊗ ∇c)⁻¹ r = z − y (∇c·z)/(1 + ∇c·y),   A z = r,  A y = w   (Sherman, Morrison)       (3)
class GlobalEquation final : public DiscreteEquation {
 public:
  GlobalEquation(Assembler& assembler, const FullPattern& pattern, const SolverOptions& options);
  [[nodiscard]] bool factorise(const Vector& d, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;

 private:
  [[nodiscard]] double rounding(const Vector& d) override;
  void forces(const Vector& d, Vector& forces) override;
  void derivative(const Vector& d, std::span<double> values) override;
  [[nodiscard]] double coefficient(double end_energy, const Vector& d) const;  // c

  Assembler& assembler_;
  std::vector<double> half_values_;
  double c_ = 0;
  Vector middle_, end_;       // ∇E(x½), ∇E(x₁)
  Vector grad_c_, response_;  // ∇c, y
};

class DiscreteGradientIntegrator final : public Integrator {
 public:
  // Throws Error when the table asks for discrete gradients that an energy does not have.
  DiscreteGradientIntegrator(const World& world, const DiscreteGradientTable& table,
                             const SolverOptions& options);
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override {
    if (predictor_) predictor_->archive(a);
  }
  [[nodiscard]] std::string_view linear_solver() const override {
    return equation_->linear_solver();
  }
  [[nodiscard]] NewtonTimes times() const override;

 private:
  // Sets found_.z to the start of the root find and adds the work it took to the report.
  void predict(const State& state, double h, StepReport& report);
  [[nodiscard]] StepAccount account(const State& start, double h);

  const System& system_;
  SolverOptions options_;
  Assembler assembler_;
  PotentialCache potential_;
  FullPattern pattern_;
  std::unique_ptr<DiscreteEquation> equation_;
  RootFinder root_;
  std::unique_ptr<Integrator> predictor_;  // none: constant velocity
  State predicted_;
  Iterate found_;
  Vector x1_, v1_;
};

}  // namespace lilyan
