// Interpreter of LagrangianTable: steps of systems that are given by a Lagrangian.
//
// The state carries velocities; the momentum p = ∂L/∂v, which the step advances, is found from them
// and they from it at the step's end.
#pragma once

#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/step/gauss_nodes.hpp"
#include "lilyan/integrate/step/lagrangian_equation.hpp"
#include "lilyan/integrate/step/legendre.hpp"

namespace lilyan {

class LagrangianIntegrator final : public Integrator {
 public:
  // The system must have a Lagrangian.
  LagrangianIntegrator(const System& system, const LagrangianTable& table,
                       const SolverOptions& options);
  // Throws ConstraintError when the first state does not obey the constraints.
  StepReport step(State& state, double h) override;
  void forget() override;
  [[nodiscard]] std::string_view linear_solver() const override { return "dense LU"; }

 private:
  void begin(const State& state);
  // A solve with the table at hand, up to the end of the step; false when it failed.
  bool solve(const State& state, double h, StepReport& report);
  bool accurate(StepReport& report);
  [[nodiscard]] Ledger ledger(const State& start);

  const System& system_;
  const Lagrangian& lagrangian_;
  LagrangianTable table_;
  SolverOptions options_;
  LagrangianEquation equation_;
  RootFinder root_;
  Legendre legendre_;
  GaussNodes gauss_;

  Vector p0_, z_, q1_, p1_, v1_, g_;
  ConstraintSet::Jacobian end_jacobian_;
  bool new_table_ = true;  // the equation has not been given table_ yet
  // The end of the last step, whose momentum need not be found again.
  bool has_end_ = false;
  bool checked_ = false;
  double end_t_ = 0;
  Vector end_x_, end_v_, end_p_;
  Invariants start_invariants_, end_invariants_;
  double start_value_ = 0;  // L
  double end_value_ = 0;
  Vector mean_;
};

}  // namespace lilyan
