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
#include "lilyan/step/stage_equation.hpp"
#include "lilyan/step/stage_solution.hpp"
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
  TablePlan& choose_plan(const State& state, double h);
  // Adds position·scale·(x−x₀) + velocity·(scale·h) v + force·(scale·h²) a over the known points.
  void add_known(const std::vector<Known>& known, double h, double scale, Vector& sum) const;
  void begin(const TablePlan& plan, const State& state);
  // Forces that are not from potentials, at a point.
  void find_forces(double t, const Vector& x, StagePoint& at);
  bool run_stages(TablePlan& plan, const State& state, double h, StepReport& report);
  // Finds point k+1; false when the solve failed, which the report then says.
  bool run_stage(const TablePlan& plan, std::size_t k, const State& state, double h,
                 StepReport& report);
  // What the equation of a stage is made of, its target and the known part of its velocity.
  StageTerms terms_of(const TablePlan& plan, const StagePlan& stage, const State& state, double h);
  // Solves the equation; false when that failed, which the report then says.
  bool solve(const StagePlan& stage, const StageEquation& equation, StageSolution& solution,
             const State& state, double h, StepReport& report);
  bool minimise(const StageEquation& equation, double slack, StageSolution& solution,
                StepReport& report);
  bool run_adaptive(TablePlan& plan, const State& state, double h, StepReport& report);
  void find_velocity(const StagePlan& plan, const StageEquation& equation, StageSolution& solution,
                     const State& state, double h, StepReport& report);
  // The rule of the mean, to rule_; none for methods without one.
  void find_rule(const TablePlan& plan);
  [[nodiscard]] StepAccount account(const TablePlan& plan, const State& start, double h);
  // What rounding may have to do with the energy that the mean of the step lost.
  [[nodiscard]] RoundingFloor floor(const TablePlan& plan, const Vector& x0, const Vector& v0,
                                    double h, double energy);

  const System& system_;
  SolverOptions options_;
  TablePlan plan_;
  // For multistep methods: how to make a table, and the table of the current ratio of steps.
  MinimisationTable (*at_ratio_)(double) = nullptr;
  std::optional<TablePlan> running_plan_;
  double running_ratio_ = 0;

  Assembler assembler_;
  PotentialCache potential_;
  PathBalance balance_;
  StageWorkspace work_;
  Newton newton_;
  PathNodes path_nodes_;
  Renewals renewals_;
  std::unique_ptr<MomentumSolve> momentum_;  // only with tables that ask for it
  bool forced_;
  std::vector<Node> rule_;
  StepData data_;
};

}  // namespace lilyan
