#include "lilyan/integrate/minimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lilyan/core/fixed.hpp"
#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/integrate/forces.hpp"

namespace lilyan {
namespace {

constexpr std::array<WeightedNode, 1> kThere{{{.theta = 1, .gradient = 1}}};

double potential_change(const Invariants& before, const Invariants& after) {
  double change = 0;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) change += after.potential[k] - before.potential[k];
  return change;
}

}  // namespace

MinimiseIntegrator::MinimiseIntegrator(const System& system, const MinimisationTable& table,
                                       const SolverOptions& options)
    : system_(system),
      options_(options),
      plan_(table),
      assembler_(system),
      potential_(assembler_),
      objective_(assembler_, options),
      newton_(assembler_.hessian_pattern(), options.newton),
      forced_(!system.forces().empty()) {
  prepare_points(plan_.stages.size());
}

MinimiseIntegrator::MinimiseIntegrator(const System& system, const MultistepTable& table,
                                       const SolverOptions& options)
    : MinimiseIntegrator(system, table.start, options) {
  at_ratio_ = table.at_ratio;
  running_ratio_ = 1;
  running_plan_.emplace(at_ratio_(1));
  prepare_points(std::max(plan_.stages.size(), running_plan_->stages.size()));
}

void MinimiseIntegrator::prepare_points(std::size_t stages) {
  const int n = system_.dofs();
  points_.resize(stages);
  const auto clear = [&](Point& p) {
    for (Vector* v : {&p.d, &p.v, &p.gradient, &p.force}) v->setZero(n);
  };
  clear(start_);
  clear(previous_);
  std::ranges::for_each(points_, clear);
  for (Vector* v : {&solver_impulse_, &potential_impulse_, &external_impulse_, &known_velocity_,
                    &end_gradients_, &end_forces_, &new_x_}) {
    v->setZero(n);
  }
}

std::string_view MinimiseIntegrator::linear_solver() const {
  return newton_.linear_solver().name();
}

TablePlan& MinimiseIntegrator::choose_plan(const State& state, double h) {
  if (!at_ratio_ || state.h_previous == 0) return plan_;
  const double ratio = h / state.h_previous;
  if (!(ratio > 0) || state.x_previous.size() != state.x.size()) return plan_;
  if (ratio != running_ratio_) {
    running_ratio_ = ratio;
    running_plan_.emplace(at_ratio_(ratio));
  }
  return *running_plan_;
}

const MinimiseIntegrator::Point& MinimiseIntegrator::point(int index) const {
  if (index == 0) return start_;
  return index < 0 ? previous_ : points_[static_cast<std::size_t>(index - 1)];
}

void MinimiseIntegrator::add_known(const std::vector<Known>& known, double h, double scale,
                                   Vector& sum) const {
  for (const Known& k : known) {
    const Point& p = point(k.point);
    if (k.position != 0 && k.point != 0) sum += (k.position * scale) * p.d;
    if (k.velocity != 0) sum += (k.velocity * scale * h) * p.v;
    if (k.force == 0) continue;
    const double weight = k.force * scale * h * h;
    sum.array() -= weight * p.gradient.array() / system_.mass().array();
    if (forced_) sum.array() += weight * p.force.array() / system_.mass().array();
  }
}

void MinimiseIntegrator::begin(const TablePlan& plan, const State& state) {
  start_.v = state.v;
  if (plan.needs_start_gradient) start_.gradient = potential_.gradient(state.x);
  if (forced_ && (plan.needs_start_gradient || plan.needs_history)) {
    start_.force.setZero();
    add_forces(system_, state.t, state.x, state.v, 1, new_x_, start_.force);
  }
  if (plan.needs_history) {
    previous_.d = state.x_previous - state.x;
    previous_.v = state.v_previous;
  }
  for (Vector* v : {&solver_impulse_, &potential_impulse_, &external_impulse_}) v->setZero();
  own_work_ = 0;
}

StepReport MinimiseIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_fixed(system_, state.v);
  TablePlan& plan = choose_plan(state, h);
  begin(plan, state);
  report.evaluations += plan.needs_start_gradient;
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;

  if (plan.adaptive_nodes) {
    if (!run_adaptive(plan, state, h, report)) return report;
  } else {
    for (std::size_t k = 0; k < plan.stages.size(); ++k) {
      if (!run_stage(plan, k, state, h, report)) return report;
    }
  }
  Point& end = points_[plan.stages.size() - 1];
  // The new position takes the place of the oldest one, which is no longer needed.
  state.x_previous = state.x + end.d;
  const Invariants after =
      invariants(system_, state.x_previous, end.v, potential_.values(state.x_previous));
  if (!std::isfinite(after.total)) {
    report.status = StepStatus::non_finite;
    state.h_previous = 0;
    return report;
  }
  report.after = after;
  report.ledger = ledger(plan, state.v, end.v, report);
  state.x.swap(state.x_previous);
  state.v_previous = state.v;
  state.v.swap(end.v);
  state.h_previous = h;
  state.t += h;
  return report;
}

bool MinimiseIntegrator::run_stage(const TablePlan& plan, std::size_t k, const State& state,
                                   double h, StepReport& report) {
  const StagePlan& stage = plan.stages[k];
  Point& result = points_[k];
  Vector& y = objective_.target();
  y.setZero();
  add_known(stage.stage.target, h, 1, y);
  if (stage.start_weight != 0) {
    y.array() -= (h * h * stage.start_weight) * start_.gradient.array() / system_.mass().array();
  }
  known_velocity_.setZero();
  add_known(stage.stage.velocity, h, 1 / h, known_velocity_);
  const bool own = stage.stage.force_velocity == ForceVelocity::own;
  if (stage.end_start_weight != 0) {
    known_velocity_.array() -=
        (h * stage.end_start_weight) * start_.gradient.array() / system_.mass().array();
    if (forced_ && own) {
      known_velocity_.array() +=
          (h * stage.end_start_weight) * start_.force.array() / system_.mass().array();
    }
  }
  objective_.prepare({.x0 = &state.x,
                      .t0 = state.t,
                      .h = h,
                      .time = stage.stage.time,
                      .nodes = stage.solved_nodes,
                      .force_nodes = stage.stage.nodes,
                      .velocity_weight = stage.displacement_effect,
                      .energy_scale = report.before.scale(),
                      .path_weight = own ? stage.stage.displacement : 1,
                      .path_velocity = own ? &known_velocity_ : nullptr,
                      .start_velocity = own ? &start_.v : nullptr});
  const bool solves = !stage.solved_nodes.empty() || (forced_ && !stage.stage.nodes.empty());
  if (!solves) {
    result.d = y;
  } else {
    result.d = (stage.stage.time * h) * state.v;
    const NewtonResult solved = newton_.minimise(objective_, result.d);
    report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                        ? report.status
                        : solved.status;
    report.iterations += solved.iterations;
    report.factorisations += solved.factorisations;
    report.evaluations += solved.evaluations;
    report.definiteness_fixes += solved.definiteness_fixes;
    report.residual = std::max(report.residual, objective_.relative_velocity_error());
    if (!succeeded(solved.status)) return false;
    solver_impulse_ += (stage.displacement_effect / h) * newton_.gradient();
    // The last evaluation was a rejected trial.
    if (solved.status == StepStatus::round_off || solved.iterations == 0) {
      objective_.evaluate(result.d, result.v);
    }
  }
  find_velocity(stage, k, state, h, report);
  book_impulses(stage, k, solves, h);
  if (plan.needs_gradient[k] != 0) {
    assembler_.gradient(state.x, &result.d, kThere, result.gradient);
    ++report.evaluations;
  }
  if (forced_ && (plan.needs_gradient[k] != 0 || plan.needs_history)) {
    new_x_ = state.x + result.d;
    result.force.setZero();
    add_forces(system_, state.t + stage.stage.time * h, new_x_, result.v, 1, end_gradients_,
               result.force);
  }
  return true;
}

void MinimiseIntegrator::find_velocity(const StagePlan& plan, std::size_t k, const State& state,
                                       double h, StepReport& report) {
  Point& result = points_[k];
  // Not (displacement/h)·d: the rounding of that factor would pull the same way in every step.
  result.v = plan.stage.displacement * (result.d / h) + known_velocity_;
  if (!plan.end_nodes.empty()) {
    assembler_.gradient(state.x, &result.d, plan.end_nodes, end_gradients_);
    ++report.evaluations;
    result.v.array() -= h * end_gradients_.array() / system_.mass().array();
  }
  if (!forced_) return;
  end_forces_.setZero();
  if (plan.stage.end_forces.empty()) return;
  objective_.add_path_forces(result.d, plan.stage.end_forces, end_forces_);
  // Those that see their own velocity are in the known part already.
  if (plan.stage.force_velocity == ForceVelocity::own) return;
  result.v.array() += h * end_forces_.array() / system_.mass().array();
}

// What the forces of a stage add to M v₁, directly and through later stages.
void MinimiseIntegrator::book_impulses(const StagePlan& plan, std::size_t k, bool solved,
                                       double h) {
  const double through_d = h * plan.displacement_effect;
  const double directly = h * plan.velocity_effect;
  if (solved) potential_impulse_ -= (through_d / (h * h)) * objective_.weighted_gradients();
  const double start_weight = through_d * plan.start_weight + directly * plan.end_start_weight;
  if (start_weight != 0) potential_impulse_ -= start_weight * start_.gradient;
  if (!plan.end_nodes.empty()) potential_impulse_ -= directly * end_gradients_;
  if (forced_) {
    external_impulse_ += through_d * objective_.weighted_forces() + directly * end_forces_;
    // Forces at θ = 0 work with the start's velocity, the others with the stage's.
    const double at_start = start_.force.dot(start_.v);
    if (start_weight != 0) own_work_ += start_weight * at_start;
    own_work_ += through_d * (objective_.weighted_forces().dot(points_[k].v) -
                              plan.start_weight * start_.force.dot(points_[k].v));
  }
  const auto add = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) {
      if (p.force == 0) continue;
      potential_impulse_ -= (weight * p.force) * point(p.point).gradient;
      if (!forced_) continue;
      external_impulse_ += (weight * p.force) * point(p.point).force;
      own_work_ += (weight * p.force) * point(p.point).force.dot(point(p.point).v);
    }
  };
  add(plan.stage.target, through_d);
  add(plan.stage.velocity, directly);
}

// More Gauss points until the energy error of the quadrature is below the tolerance. A further
// solve starts from the last one's displacement, from where one or two iterations suffice.
bool MinimiseIntegrator::run_adaptive(TablePlan& plan, const State& state, double h,
                                      StepReport& report) {
  gauss_.begin_step();
  const double scale = report.before.scale();
  while (true) {
    plan.set_gauss_nodes(gauss_.nodes());
    for (Vector* v : {&solver_impulse_, &potential_impulse_, &external_impulse_}) v->setZero();
    if (!run_stage(plan, 0, state, h, report)) return false;
    new_x_ = state.x + points_[0].d;
    StepReport trial = report;
    trial.after = invariants(system_, new_x_, points_[0].v, potential_.values(new_x_));
    if (!std::isfinite(trial.after.total)) break;  // the caller says so
    const double error = std::abs(ledger(plan, state.v, points_[0].v, trial).quadrature);
    const double size = std::max(scale, trial.after.scale());
    if (gauss_.accept(error / (options_.energy_tolerance * size))) break;
  }
  report.nodes = gauss_.used();
  return true;
}

// Kinetic energy changes by ½(v₀+v₁)·M(v₁−v₀): the residuals' part of M(v₁−v₀) is the solver's,
// that of external forces is work. The potentials' part and the change of potential energy should
// cancel: what is left is, for averaged forces (where ½(v₀+v₁) = u), the quadrature error of ∇E·d,
// and for the others what the method does to the energy. A method that looks at the step before
// changes the velocity by that as well.
Ledger MinimiseIntegrator::ledger(const TablePlan& plan, const Vector& v0, const Vector& v1,
                                  const StepReport& report) const {
  Ledger result;
  const auto mean = 0.5 * (v0 + v1);
  result.solver = mean.dot(solver_impulse_);
  const bool own = plan.stages.back().stage.force_velocity == ForceVelocity::own;
  if (forced_) {
    if (plan.needs_history) {
      // The force of this step goes on acting through later ones: the trapezoidal rule instead.
      const Vector& end_force = points_[plan.stages.size() - 1].force;
      result.work = 0.5 * report.h * (start_.force.dot(v0) + end_force.dot(v1));
    } else {
      result.work = own ? own_work_ : mean.dot(external_impulse_);
    }
  }
  if (plan.needs_history || (forced_ && own)) {
    result.method = report.after.total - report.before.total - result.solver - result.work;
    return result;
  }
  (plan.averages_force ? result.quadrature : result.method) =
      mean.dot(potential_impulse_) + potential_change(report.before, report.after);
  return result;
}

}  // namespace lilyan
