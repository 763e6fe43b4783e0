#include "lilyan/step/minimise.hpp"

#include <algorithm>
#include <array>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"
#include "lilyan/step/stage_account.hpp"

namespace lilyan {

namespace {

constexpr std::array<WeightedNode, 1> kStageEnd{{{.theta = 1, .gradient = 1}}};

SolverOptions options_for(const System& system, SolverOptions options) {
  for (const auto& energy : system.energies()) {
    options.newton.precise = options.newton.precise || energy->abilities().blocks_paths;
  }
  return options;
}

}  // namespace

MinimiseIntegrator::MinimiseIntegrator(const World& world, const MinimisationTable& table,
                                       const SolverOptions& options)
    : system_(world.system),
      options_(options_for(world.system, options)),
      plan_(table),
      assembler_(world),
      potential_(assembler_),
      balance_(world),
      work_(assembler_, options_),
      newton_(assembler_.hessian_pattern(), options_.newton),
      renewals_(system_),
      forced_(!system_.forces().empty() || !system_.dissipations().empty()) {
  data_.resize(system_.dofs(), plan_.stages.size());
  if (table.keeps_angular_momentum && system_.dimension() == 3) {
    momentum_ = std::make_unique<MomentumSolve>(assembler_, options_);
  }
}

MinimiseIntegrator::MinimiseIntegrator(const World& world, const MultistepTable& table,
                                       const SolverOptions& options)
    : MinimiseIntegrator(world, table.start, options) {
  at_ratio_ = table.at_ratio;
  running_ratio_ = 1;
  running_plan_.emplace(at_ratio_(1));
  data_.resize(system_.dofs(), std::max(plan_.stages.size(), running_plan_->stages.size()));
}

std::string_view MinimiseIntegrator::linear_solver() const { return newton_.linear_name(); }

TablePlan& MinimiseIntegrator::choose_plan(const State& state, double h) {
  if (!at_ratio_ || state.h_previous == 0) return plan_;
  const double ratio = h / state.h_previous;
  if (!(ratio > 0) || state.x_previous.size() != state.x.size()) return plan_;
  // Differences across a jump of a force say nothing about what follows: the method starts anew.
  if (force_jumps(system_, state.t - state.h_previous, state.t + h)) return plan_;
  if (ratio != running_ratio_) {
    running_ratio_ = ratio;
    running_plan_.emplace(at_ratio_(ratio));
  }
  return *running_plan_;
}

void MinimiseIntegrator::add_known(const std::vector<Known>& known, double h, double scale,
                                   Vector& sum) const {
  for (const Known& k : known) {
    const StagePoint& p = data_.point(k.point);
    if (k.position != 0 && k.point != 0) sum += (k.position * scale) * p.d;
    if (k.velocity != 0) sum += (k.velocity * scale * h) * p.v;
    if (k.force == 0) continue;
    const double weight = k.force * scale * h * h;
    system_.mass().add_solved(-weight, p.gradient, sum);
    if (forced_) system_.mass().add_solved(weight, p.force, sum);
  }
}

void MinimiseIntegrator::begin(const TablePlan& plan, const State& state) {
  StagePoint& start = data_.start;
  start.v = state.v;
  if (plan.needs_start_gradient) start.gradient = potential_.gradient(state.x);
  if (forced_ && (plan.needs_start_gradient || plan.needs_history)) {
    find_forces(state.t, state.x, start);
  }
  if (plan.needs_history) {
    data_.previous.d = state.x_previous - state.x;
    data_.previous.v = state.v_previous;
  }
}

void MinimiseIntegrator::find_forces(double t, const Vector& x, StagePoint& at) {
  at.dissipation.setZero();
  work_.add_dissipation(at.v, at.dissipation);
  at.driven = work_.driven_power(at.v);
  at.force = at.dissipation;
  work_.add_forces(t, x, at.v, 1, at.force);
}

StepReport MinimiseIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  system_.embedding().restrict_velocity(state.v);
  TablePlan& plan = choose_plan(state, h);
  work_.begin_step(state, h, span_of_step(state, h));
  begin(plan, state);
  report.solver_work.evaluations += plan.needs_start_gradient;
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;

  const StagePoint& end = data_.stages[plan.stages.size() - 1].point;
  data_.warm = false;
  if (!run_stages(plan, state, h, report)) return report;
  // Dissipation that depends on the step itself (friction, on its pressure) was taken from its
  // start: once more from what was found.
  data_.warm = true;
  const auto again = [&] {
    begin(plan, state);
    return run_stages(plan, state, h, report);
  };
  if (!renewals_.settle(work_, state, h, end.d, report, again)) return report;
  data_.end_x = state.x + end.d;
  commit(report, state, data_.end_x, end.v,
         invariants(system_, data_.end_x, end.v, potential_.values(data_.end_x)),
         [&] { return account(plan, state, h); });
  if (plan.exact_nodes || (momentum_ && momentum_->only_strain())) {
    book_rounding(report, [&](double energy) {
      return floor(plan, state.x_previous, state.v_previous, h, energy);
    });
  }
  return report;
}

bool MinimiseIntegrator::run_stages(TablePlan& plan, const State& state, double h,
                                    StepReport& report) {
  if (plan.adaptive_nodes) return run_adaptive(plan, state, h, report);
  for (std::size_t k = 0; k < plan.stages.size(); ++k) {
    if (!run_stage(plan, k, state, h, report)) return false;
  }
  return true;
}

StageTerms MinimiseIntegrator::terms_of(const TablePlan& plan, const StagePlan& stage,
                                        const State& state, double h) {
  const Mass& mass = system_.mass();
  const StagePoint& start = data_.start;
  Vector& y = data_.target;
  Vector& velocity = data_.known_velocity;
  y.setZero();
  add_known(stage.stage.target, h, 1, y);
  if (stage.start_weight != 0) mass.add_solved(-h * h * stage.start_weight, start.gradient, y);
  velocity.setZero();
  add_known(stage.stage.velocity, h, 1 / h, velocity);
  const bool own = stage.stage.force_velocity == ForceVelocity::own;
  if (own && stage.start_weight != 0) {
    mass.add_solved(h * h * stage.start_weight, start.dissipation, y);
  }
  if (stage.end_start_weight != 0) {
    const double weight = h * stage.end_start_weight;
    mass.add_solved(-weight, start.gradient, velocity);
    if (forced_ && own) mass.add_solved(weight, start.force, velocity);
  }
  double all_weights = 0;
  for (const Node& node : stage.stage.nodes) all_weights += node.weight;
  std::optional<PathMeanWeights> mean;
  if (plan.averages_force) mean = {h * h * all_weights, h * h * stage.start_weight};
  return {.x0 = &state.x,
          .target = &y,
          .t0 = state.t,
          .h = h,
          .time = stage.stage.time,
          .nodes = stage.solved_nodes,
          .force_nodes = stage.force_nodes,
          .velocity_weight = stage.displacement_effect,
          .path_weight = own ? stage.stage.displacement : 1,
          .path_velocity = own ? &velocity : nullptr,
          .start_velocity = own ? &start.v : nullptr,
          .dissipation_weight = all_weights - (own ? stage.start_weight : 0.0),
          .end_weight = stage.stage.displacement,
          .end_velocity = &velocity,
          .mean = mean};
}

bool MinimiseIntegrator::run_stage(const TablePlan& plan, std::size_t k, const State& state,
                                   double h, StepReport& report) {
  const StagePlan& stage = plan.stages[k];
  StageSolution& solution = data_.stages[k];
  StagePoint& point = solution.point;
  StageTerms terms = terms_of(plan, stage, state, h);
  terms.energy_scale = report.before.scale();
  const StageEquation equation(work_, terms);
  solution.solved = !stage.solved_nodes.empty() || (forced_ && !stage.stage.nodes.empty());
  solution.dissipation_weight = terms.dissipation_weight;
  if (forced_) {
    solution.forces.force.setZero();
    solution.found.dissipation.setZero();
  }
  if (!solution.solved) {
    point.d = data_.target;
  } else {
    if (data_.warm) {
      solution.found.z = point.d;
    } else {
      solution.found.z = (stage.stage.time * h) * state.v;
    }
    if (!solve(stage, equation, solution, state, h, report)) return false;
    point.d = solution.found.z;
  }
  find_velocity(stage, equation, solution, state, h, report);
  if (plan.needs_gradient[k] != 0) {
    assembler_.gradient(state.x, &point.d, kStageEnd, point.gradient);
    ++report.solver_work.evaluations;
  }
  if (forced_ && (plan.needs_gradient[k] != 0 || plan.needs_history)) {
    data_.end_x = state.x + point.d;
    find_forces(state.t + stage.stage.time * h, data_.end_x, point);
  }
  return true;
}

bool MinimiseIntegrator::solve(const StagePlan& stage, const StageEquation& equation,
                               StageSolution& solution, const State& state, double h,
                               StepReport& report) {
  if (!momentum_) return minimise(equation, 1, solution, report);
  FreeMomentumEquation free(equation, solution.forces, newton_);
  const MomentumSolve::Step step{.start = state,
                                 .h = h,
                                 .nodes = stage.stage.nodes,
                                 .start_gradient = data_.start.gradient,
                                 .scale = report.before.scale()};
  return momentum_->find(step, free, data_.warm, solution.found, report, [&](double slack) {
    return minimise(free.stage(), slack, solution, report);
  });
}

bool MinimiseIntegrator::minimise(const StageEquation& equation, double slack,
                                  StageSolution& solution, StepReport& report) {
  Iterate& found = solution.found;
  const NewtonResult solved = newton_.minimise(equation, solution.forces, found, slack);
  report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                      ? report.status
                      : solved.status;
  report.solver_work += solved.work;
  report.residual = std::max(report.residual, solved.defect.velocity);
  return succeeded(solved.status);
}

void MinimiseIntegrator::find_velocity(const StagePlan& plan, const StageEquation& equation,
                                       StageSolution& solution, const State& state, double h,
                                       StepReport& report) {
  const Vector& d = solution.point.d;
  Vector& v = solution.point.v;
  // Not (displacement/h)·d: the rounding of that factor would pull the same way in every step.
  v = plan.stage.displacement * (d / h) + data_.known_velocity;
  if (!plan.end_nodes.empty()) {
    assembler_.gradient(state.x, &d, plan.end_nodes, solution.end_gradients);
    ++report.solver_work.evaluations;
    system_.mass().add_solved(-h, solution.end_gradients, v);
  }
  if (!forced_) return;
  solution.driven = equation.driven_power(d);
  solution.end_dissipation = 0;
  solution.end_forces.setZero();
  if (plan.stage.end_forces.empty()) return;
  equation.add_path_forces(d, plan.stage.end_forces, solution.end_forces);
  if (plan.stage.force_velocity == ForceVelocity::mean) {
    for (const Node& node : plan.stage.end_forces) solution.end_dissipation += node.weight;
    solution.end_forces += solution.end_dissipation * solution.found.dissipation;
  }
  // Forces that see their own velocity are in the known part already.
  if (plan.stage.force_velocity == ForceVelocity::own) return;
  system_.mass().add_solved(h, solution.end_forces, v);
}

// A further solve starts from the last one's displacement, from where one or two iterations suffice.
bool MinimiseIntegrator::run_adaptive(TablePlan& plan, const State& state, double h,
                                      StepReport& report) {
  const StagePoint& end = data_.stages[0].point;
  return solve_with_enough_nodes(
      path_nodes_, options_.energy_tolerance, balance_.plateau(), report,
      [&](const std::vector<Node>& nodes) {
        plan.set_path_nodes(nodes);
        if (!run_stage(plan, 0, state, h, report)) return false;
        data_.warm = true;
        data_.end_x = state.x + end.d;
        report.after = invariants(system_, data_.end_x, end.v, potential_.values(data_.end_x));
        return true;
      },
      [&] {
        // Means over the strain have no nodes.
        if (momentum_ && momentum_->only_strain()) return 0.0;
        return ledger_of(account(plan, state, h), report).quadrature;
      },
      [&](double size) { return floor(plan, state.x, state.v, h, size); });
}

RoundingFloor MinimiseIntegrator::floor(const TablePlan& plan, const Vector& x0, const Vector& v0,
                                        double h, double energy) {
  find_rule(plan);
  return balance_.floor({.x0 = &x0,
                         .v0 = &v0,
                         .d = &data_.stages[0].point.d,
                         .x1 = &data_.end_x,
                         .h = h,
                         .rule = rule_,
                         .mean_force = &data_.impulses.potential,
                         .force_factor = 1 / h},
                        energy);
}

void MinimiseIntegrator::find_rule(const TablePlan& plan) {
  rule_.clear();
  if (!plan.averages_force) return;
  for (const Node& node : plan.stages[0].stage.nodes) {
    rule_.push_back({node.theta, 2 * node.weight});
  }
}

StepAccount MinimiseIntegrator::account(const TablePlan& plan, const State& start, double h) {
  add_up(system_, plan, h, data_);
  StepAccount account = account_of(system_, plan, h, data_);
  if (system_.motions().empty()) return account;
  // By the method's own average where it has one, which leaves the quadrature error what it is.
  find_rule(plan);
  const Vector& d = data_.stages[plan.stages.size() - 1].point.d;
  const World& world = assembler_.world();
  account.prescribed = momentum_       ? momentum_->prescribed_work(d, rule_)
                       : rule_.empty() ? prescribed_work(world, start.x, d, data_.scratch)
                                       : prescribed_work(world, start.x, d, rule_, data_.scratch);
  return account;
}

}  // namespace lilyan
