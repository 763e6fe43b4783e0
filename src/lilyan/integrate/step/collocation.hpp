// Interpreter of collocation tables: all stages of a step solved together.
#pragma once

#include <memory>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/step/collocation_equation.hpp"
#include "lilyan/integrate/step/potential_cache.hpp"
#include "lilyan/solve/root.hpp"

namespace lilyan {

class CollocationIntegrator final : public Integrator {
 public:
  CollocationIntegrator(const System& system, const CollocationTable& table,
                        const SolverOptions& options);
  StepReport step(State& state, double h) override;
  void forget() override {
    potential_.forget();
    predictor_->forget();
  }
  [[nodiscard]] std::string_view linear_solver() const override {
    return equation_.linear_solver();
  }
  [[nodiscard]] NewtonTimes times() const override;

 private:
  // A start for the stages from one AVF step, whose minimiser cannot get lost.
  void predict(const State& state, double h, StepReport& report);
  // Displacement and end velocity from the stages, and what the forces and residuals gave to it.
  void finish(const State& state, double h);

  const System& system_;
  CollocationTable table_;
  SolverOptions options_;
  Assembler assembler_;
  PotentialCache potential_;
  CollocationEquation equation_;
  RootFinder root_;
  std::unique_ptr<Integrator> predictor_;
  State predicted_;
  Vector z_, residual_, d_, v1_, acceleration_;
  Vector solver_impulse_;
  double work_ = 0;  // of external forces
};

}  // namespace lilyan
