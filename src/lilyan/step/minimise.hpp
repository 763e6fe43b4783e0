// Interpreter of minimisation tables: steps in stages, each one minimisation (see
// method/method.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/path_balance.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/momentum_solve.hpp"
#include "lilyan/step/path_nodes.hpp"
#include "lilyan/step/potential_cache.hpp"
#include "lilyan/step/renewals.hpp"
#include "lilyan/step/step_objective.hpp"
#include "lilyan/step/table_plan.hpp"

namespace lilyan {

class MinimiseIntegrator final : public Integrator {
 public:
  MinimiseIntegrator(const World& world, const MinimisationTable& table,
                     const SolverOptions& options);
  MinimiseIntegrator(const World& world, const MultistepTable& table, const SolverOptions& options);
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override {
    a(path_nodes_, newton_);
    if (momentum_) a(*momentum_);
  }
  [[nodiscard]] std::string_view linear_solver() const override;
  [[nodiscard]] NewtonTimes times() const override { return newton_.times(); }

 private:
  // A point of the step: x − x₀, v, ∇E, the force that is not from potentials and the part of it
  // that is dissipation.
  struct Point {
    Vector d, v, gradient, force, dissipation;
    double driven = 0;  // power delivered by moving obstacles through dissipation
  };
  // Effects of the forces that are not from potentials: their part of M(v₁−v₀), and the work of
  // forces that see the velocities of their own points.
  struct Exchange {
    Vector impulse;
    double own_work = 0;
    void clear() {
      impulse.setZero();
      own_work = 0;
    }
  };

  void prepare_points(std::size_t stages);
  TablePlan& choose_plan(const State& state, double h);
  [[nodiscard]] const Point& point(int index) const;
  // Adds position·scale·(x−x₀) + velocity·(scale·h) v + force·(scale·h²) a over the known points.
  void add_known(const std::vector<Known>& known, double h, double scale, Vector& sum) const;
  void begin(const TablePlan& plan, const State& state);
  void clear_impulses();
  // Forces that are not from potentials, at a point.
  void find_forces(double t, const Vector& x, Point& at);
  bool run_stages(TablePlan& plan, const State& state, double h, StepReport& report);
  // Finds point k+1; false when the solve failed, which the report then says.
  bool run_stage(const TablePlan& plan, std::size_t k, const State& state, double h,
                 StepReport& report);
  // Minimises from the given displacement; false when that failed, which the report then says.
  bool minimise(Point& result, StepReport& report);
  // Solves for a step that keeps all momenta; otherwise as minimise().
  bool keep_momenta(const StagePlan& stage, Point& result, const State& state, double h,
                    StepReport& report);
  bool run_adaptive(TablePlan& plan, const State& state, double h, StepReport& report);
  void find_velocity(const StagePlan& plan, std::size_t k, const State& state, double h,
                     StepReport& report);
  void book_impulses(const StagePlan& plan, std::size_t k, bool solved, double h);
  void book_coasting(const StagePlan& plan, double h);
  void book(const StagePlan& plan, std::size_t k, double h, Vector Point::*force,
            const Vector& weighted, Exchange& to) const;
  [[nodiscard]] StepAccount account(const TablePlan& plan, const State& start, const Vector& v1,
                                    double h);

  const System& system_;
  SolverOptions options_;
  TablePlan plan_;
  // For multistep methods: how to make a table, and the table of the current ratio of steps.
  MinimisationTable (*at_ratio_)(double) = nullptr;
  std::optional<TablePlan> running_plan_;
  double running_ratio_ = 0;

  Assembler assembler_;
  PotentialCache potential_;
  PathBalance balance_;  // of steps with adaptive nodes
  StepObjective objective_;
  Newton newton_;
  PathNodes path_nodes_;
  Renewals renewals_;
  std::unique_ptr<MomentumSolve> momentum_;  // only with tables that ask for it
  bool forced_;

  Point start_, previous_;
  std::vector<Point> points_;
  // Parts of M(v₁−v₀): what the residuals left, what the potentials gave.
  Vector solver_impulse_, potential_impulse_;
  Exchange forces_, dissipation_;  // the second is part of the first
  double end_dissipation_ = 0;     // weight of dissipation in a stage's rule for the velocity
  double driven_work_ = 0;         // work of moving obstacles through dissipation
  bool warm_ = false;              // the points' displacements are a good guess
  std::vector<Node> rule_;
  Vector residual_;           // with momentum_
  Vector coasting_velocity_;  // at the end, if there were no forces
  Vector known_velocity_, end_gradients_, end_forces_, weighted_forces_, new_x_;
};

}  // namespace lilyan
