// Interpreter of discrete-gradient tables: a root find, started from where the table says.
#pragma once

#include <memory>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/step/discrete_equation.hpp"
#include "lilyan/integrate/step/potential_cache.hpp"
#include "lilyan/solve/root.hpp"

namespace lilyan {

class DiscreteGradientIntegrator final : public Integrator {
 public:
  // Throws Error when the table asks for discrete gradients that an energy does not have.
  DiscreteGradientIntegrator(const World& world, const DiscreteGradientTable& table,
                             const SolverOptions& options);
  StepReport step(State& state, double h) override;
  [[nodiscard]] std::string_view linear_solver() const override {
    return equation_->linear_solver();
  }
  [[nodiscard]] NewtonTimes times() const override;

 private:
  // Sets d_ to the start of the root find and adds the work it took to the report.
  void predict(const State& state, double h, StepReport& report);
  [[nodiscard]] Ledger ledger(const State& start, double h, const StepReport& report);

  const System& system_;
  SolverOptions options_;
  Assembler assembler_;
  PotentialCache potential_;
  FullPattern pattern_;
  std::unique_ptr<DiscreteEquation> equation_;
  RootFinder root_;
  std::unique_ptr<Integrator> predictor_;  // none: constant velocity
  State predicted_;
  Vector d_, x1_, v1_;
  Vector mean_force_;  // with prescribed vertices
};

}  // namespace lilyan
