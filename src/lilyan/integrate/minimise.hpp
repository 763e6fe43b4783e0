// Interpreter of minimisation tables: the one implicit step (see method/method.hpp).
#pragma once

#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/potential_cache.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

// Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d) of one step.
class StepObjective final : public Objective {
 public:
  StepObjective(Assembler& assembler, const SolverOptions& options);

  // Sets the step. displacement is the table's weight of u in v₁: through it a residual r becomes
  // the velocity error displacement/h · M⁻¹r. energy_scale is that of the start of the step.
  void prepare(const Vector& x0, double h, std::span<const Node> nodes, double displacement,
               double energy_scale);
  [[nodiscard]] Vector& target() { return target_; }  // y

  double evaluate(const Vector& d, Vector& gradient) override;
  void hessian(const Vector& d, double projection, std::vector<double>& values) override;
  double defect(const Vector& d, const Vector& gradient) override;
  [[nodiscard]] double norm(const Vector& gradient) const override;
  [[nodiscard]] Rounding rounding(const Vector& d, const Vector& diagonal) const override;

  // h² Σ βᵢ ∇E(x₀ + θᵢ d) of the last evaluation.
  [[nodiscard]] const Vector& weighted_forces() const { return forces_; }
  // Velocity error relative to the energy scale, at the last call of defect().
  [[nodiscard]] double relative_velocity_error() const { return velocity_error_; }

 private:
  Assembler& assembler_;
  const Vector& mass_;
  double energy_tolerance_;
  double velocity_tolerance_;
  const Vector* x0_ = nullptr;
  double h_ = 0;
  double displacement_ = 0;
  double energy_scale_ = 0;
  double velocity_error_ = 0;
  std::vector<WeightedNode> nodes_;
  Vector target_;
  Vector forces_;
};

class MinimiseIntegrator final : public Integrator {
 public:
  MinimiseIntegrator(const System& system, MinimisationTable table, const SolverOptions& options);
  StepReport step(State& state, double h) override;
  [[nodiscard]] std::string_view linear_solver() const override;
  [[nodiscard]] NewtonTimes times() const override { return newton_.times(); }

 private:
  [[nodiscard]] double energy_scale(const Invariants& at) const;
  void end_velocity(const State& start, double h, Vector& v1);
  [[nodiscard]] Ledger ledger(const State& start, double h, const Vector& v1,
                              const StepReport& report) const;

  const System& system_;
  MinimisationTable table_;
  // The table's nodes, those at θ = 0 (where the gradient is known) apart from the others.
  double start_weight_ = 0;
  std::vector<Node> solved_nodes_;
  double end_start_weight_ = 0;
  std::vector<WeightedNode> end_nodes_;
  Assembler assembler_;
  PotentialCache potential_;
  StepObjective objective_;
  Newton newton_;
  // Workspace: displacement, end velocity, Σ wᵢ∇E of the end rule, ∇E(x₀).
  Vector d_, v1_, end_forces_, start_gradient_;
};

}  // namespace lilyan
