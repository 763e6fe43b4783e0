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
  void forget_factors() { factors_.h = 0; }
  // With the table set.
  void archive(Archive& a);

  void evaluate(Iterate& at) override;
  std::optional<StepStatus> judge(const Iterate& at, const Step& last) override;
  std::optional<StepStatus> judge_stuck(const Iterate& at) override;
  [[nodiscard]] Defect defect(const Iterate& at) override;
  [[nodiscard]] bool at_rounding(const Iterate& at) override;
  [[nodiscard]] bool keeps_factors(const Step& last) const override;
  [[nodiscard]] bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] StepStatus singular() const override;
  // Goes to the nodes of a solution. What follows is about these.
  void go_to(const Iterate& at);
  // The end of the step; and where the energy between went.
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
  void measure(Iterate& at);
  void assemble();
  void learn_sizes(const Vector& z);

  struct Problem {
    const State* start = nullptr;
    TimeSpan span;  // as forces see it
    const Vector* p0 = nullptr;
    double h = 0;
    bool first = true;       // evaluation of this step
    bool was_small = false;  // the point judged before the last
  };
  struct Nodes {
    int count = 0;
    std::vector<Vector> q, v, momentum, force;
    Vector z;  // that the values belong to
  };
  // Constraints at the start and the end, and the impulses λ.
  struct Ends {
    ConstraintSet::Jacobian start, end;
    Vector q1, lambda, g, scale, first_scale;
  };
  // Of the terms that the residual is a sum of, and of its rounding errors.
  struct Sizes {
    Vector terms, weights, row, noise;
  };
  struct Factors {
    DenseMatrix matrix;
    DenseLu lu;
    double h = 0;        // the step that they are for, 0: there are none
    bool fresh = false;  // no step has been made with them yet
    DenseMatrix qq, qv, vv, by_q, by_v;
  };
  struct Workspace {
    Vector sum, column;
    mutable Vector external;
    Iterate again;
  };

  const System& system_;
  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  double tolerance_;
  int n_;
  int m_;
  LagrangianTable table_;
  int k_ = 0;
  Problem problem_;
  Nodes at_;
  Ends ends_;
  Sizes sizes_;
  Factors factors_;
  Workspace work_;
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

  // Either end of a step. That of the last one's momentum need not be found again.
  struct End {
    bool known = false;
    double t = 0;
    Vector x, v, p;
    Invariants invariants;
    double value = 0;  // L
  };
  struct Data {
    Iterate found;
    Vector q1, p1, v1, mean;
    ConstraintSet::Jacobian jacobian;
    Vector g;
    double last_total = 0;  // energy at the end of the last try of a step
  };

  const System& system_;
  const Lagrangian& lagrangian_;
  LagrangianTable table_;
  SolverOptions options_;
  LagrangianEquation equation_;
  RootFinder root_;
  Legendre legendre_;
  PathNodes path_nodes_;
  bool new_table_ = true;  // the equation has not been given table_ yet
  bool checked_ = false;
  End start_, end_;
  Data data_;
};

}  // namespace lilyan
