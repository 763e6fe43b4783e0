// Interpreter of LagrangianTable: steps of systems that are given by a Lagrangian.
//
// The state carries velocities; the momentum p = ∂L/∂v, which the step advances, is found from them
// and they from it at the step's end.
#pragma once

#include <vector>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/legendre.hpp"
#include "lilyan/step/path_nodes.hpp"

namespace lilyan {

// The equations of one step of a general Lagrangian (LagrangianTable), for the unknowns
// z = (u₁, …, u_K, λ), with constraints g(q) = 0 of Jacobian G:
//
//   Σᵢ momentum_ki ∂L/∂v(Qᵢ, Vᵢ) − p₀ − h G₀ᵀλ − h Σᵢ force_ki Fᵢ = 0,   g(q₁)/h = 0            (1)
//
// A constraint force is a kick at the old position (Kharevych et al. 2006, section 3.5); it is
// followed by a projection of the momentum at the end of the step (RATTLE).
//
// They are solved down to rounding errors, with dense LU factors that are kept, also from step to
// step, while they serve.

class LagrangianEquation final : public Equation {
 public:
  // `tolerance` is for the residual, relative to the terms it is a difference of.
  LagrangianEquation(const System& system, double tolerance);

  void set_table(const LagrangianTable& table);
  [[nodiscard]] int unknowns() const { return k_ * n_ + m_; }
  [[nodiscard]] const ConstraintSet& constraints() const { return constraints_; }

  // From the start of a step with momentum p₀; the state must stay until the step is done.
  void prepare(const State& state, const Vector& p0, double h, const TimeSpan& span);
  // Velocities that go on as they did in the step before.
  void guess(Vector& z) const;
  // The next step begins with new factors.
  void forget_factors() { factored_h_ = 0; }
  // With the table set.
  void archive(Archive& a);

  Size evaluate(const Vector& z, Vector& residual) override;
  std::optional<StepStatus> judge(const Vector& z, const Vector& residual,
                                  const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Vector& z, const Vector& residual) override;
  double defect(const Vector& z, const Vector& residual) override;
  [[nodiscard]] bool at_rounding(const Vector& z, const Vector& residual) override;
  [[nodiscard]] bool keeps_factors(const Step& last) const override;
  [[nodiscard]] bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] StepStatus singular() const override;
  // The residual relative to its terms, at the point last judged.
  [[nodiscard]] double relative() const { return here_.relative; }

  // The end of the step, of the z last evaluated; and where the energy between went.
  void finish(const Vector& z, Vector& q1, Vector& p1) const;
  void mean_velocity(const Vector& z, Vector& v) const;
  [[nodiscard]] double work() const;         // by forces and by explicit time
  [[nodiscard]] double dissipation() const;  // by forces that dissipate
  // The product of a velocity with all impulses of the step (but those of the projection at its
  // end), less work() and dissipation().
  [[nodiscard]] double impulse_beyond_work(const Vector& velocity);

 private:
  [[nodiscard]] double node_time(int i) const;
  void go_to_nodes(const Vector& z);
  void add_forces(int i, bool dissipating, Vector& sum) const;
  [[nodiscard]] double power(bool dissipating) const;
  void find_end(const Vector& z);  // q₁, g there and its Jacobian
  void add_constraints(const Vector& z, Vector& residual);
  double measure(const Vector& residual);
  void assemble();
  void learn_sizes(const Vector& z);

  const System& system_;
  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  ConstraintSet::Jacobian start_jacobian_, end_jacobian_;
  double tolerance_;
  int n_;
  int m_;
  LagrangianTable table_;
  int k_ = 0;
  int nodes_ = 0;

  const State* start_ = nullptr;
  TimeSpan span_;  // of the step, as forces see it
  const Vector* p0_ = nullptr;
  double h_ = 0;
  std::vector<Vector> q_, v_, momentum_, force_;  // at the nodes
  Vector sum_, q1_, lambda_, g_, g_scale_, column_;
  mutable Vector external_;
  DenseMatrix qq_, qv_, vv_, by_q_, by_v_;

  bool first_ = true;  // evaluation of this step
  // Errors in units of the terms that they are differences of, each component in its own; and all
  // of them in units of the largest terms.
  struct Error {
    double relative = 0;
    double overall = 0;
  };
  Error last_, here_;  // at the z last evaluated, and last judged
  Vector terms_, weights_, row_size_, noise_, constraint_scale_;

  DenseMatrix matrix_;
  DenseLu lu_;
  double factored_h_ = 0;  // the step of the factors, 0: there are none
  bool fresh_ = false;     // no step has been made with them yet
};

class LagrangianIntegrator final : public Integrator {
 public:
  // The system must have a Lagrangian.
  LagrangianIntegrator(const System& system, const LagrangianTable& table,
                       const SolverOptions& options);
  // Throws ConstraintError when the first state does not obey the constraints.
  StepReport step(State& state, double h) override;
  void forget() override;
  void archive(Archive& a) override;
  [[nodiscard]] std::string_view linear_solver() const override { return "dense LU"; }

 private:
  void begin(const State& state);
  // A solve with the table at hand, up to the end of the step; false when it failed.
  bool solve(const State& state, double h, StepReport& report);
  bool accurate(const State& state, double h, StepReport& report);
  [[nodiscard]] RoundingFloor floor(const State& state, double h, double scale) const;
  void find_table();  // of an adaptive mean
  [[nodiscard]] StepAccount account(const State& start);

  const System& system_;
  const Lagrangian& lagrangian_;
  LagrangianTable table_;
  SolverOptions options_;
  LagrangianEquation equation_;
  RootFinder root_;
  Legendre legendre_;
  PathNodes path_nodes_;
  double last_total_ = 0;  // energy at the end of the last try of a step

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
