#include "lilyan/step/minimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"

namespace lilyan {

namespace {

constexpr std::array<WeightedNode, 1> kStageEnd{{{.theta = 1, .gradient = 1}}};

}  // namespace

MinimiseIntegrator::MinimiseIntegrator(const World& world, const MinimisationTable& table,
                                       const SolverOptions& options)
    : system_(world.system),
      options_(options),
      plan_(table),
      assembler_(world),
      potential_(assembler_),
      balance_(world),
      objective_(assembler_, options),
      newton_(assembler_.hessian_pattern(), options.newton),
      renewals_(system_),
      forced_(!system_.forces().empty() || !system_.dissipations().empty()) {
  prepare_points(plan_.stages.size());
  if (table.keeps_angular_momentum && system_.dimension() == 3) {
    momentum_ = std::make_unique<MomentumSolve>(assembler_, options_);
    residual_.setZero(system_.dofs());
  }
}

MinimiseIntegrator::MinimiseIntegrator(const World& world, const MultistepTable& table,
                                       const SolverOptions& options)
    : MinimiseIntegrator(world, table.start, options) {
  at_ratio_ = table.at_ratio;
  running_ratio_ = 1;
  running_plan_.emplace(at_ratio_(1));
  prepare_points(std::max(plan_.stages.size(), running_plan_->stages.size()));
}

void MinimiseIntegrator::prepare_points(std::size_t stages) {
  const int n = system_.dofs();
  points_.resize(stages);
  const auto clear = [&](Point& p) {
    for (Vector* v : {&p.d, &p.v, &p.gradient, &p.force, &p.dissipation}) v->setZero(n);
  };
  clear(start_);
  clear(previous_);
  std::ranges::for_each(points_, clear);
  for (Vector* v : {&solver_impulse_, &potential_impulse_, &forces_.impulse, &dissipation_.impulse,
                    &coasting_velocity_, &known_velocity_, &end_gradients_, &end_forces_,
                    &weighted_forces_, &new_x_}) {
    v->setZero(n);
  }
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
    find_forces(state.t, state.x, start_);
  }
  if (plan.needs_history) {
    previous_.d = state.x_previous - state.x;
    previous_.v = state.v_previous;
  }
}

void MinimiseIntegrator::clear_impulses() {
  solver_impulse_.setZero();
  potential_impulse_.setZero();
  coasting_velocity_.setZero();
  forces_.clear();
  dissipation_.clear();
  driven_work_ = 0;
}

void MinimiseIntegrator::find_forces(double t, const Vector& x, Point& at) {
  at.dissipation.setZero();
  objective_.add_dissipation(at.v, at.dissipation);
  at.driven = objective_.driven_power_at(at.v);
  at.force = at.dissipation;
  objective_.add_forces_at(t, x, at.v, at.force);
}

StepReport MinimiseIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  TablePlan& plan = choose_plan(state, h);
  objective_.begin_step(state, h, span_of_step(state, h));
  begin(plan, state);
  report.solver_work.evaluations += plan.needs_start_gradient;
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;

  Point& end = points_[plan.stages.size() - 1];
  warm_ = false;
  if (!run_stages(plan, state, h, report)) return report;
  // Dissipation that depends on the step itself (friction, on its pressure) was taken from its
  // start: once more from what was found.
  warm_ = true;
  const auto again = [&] {
    begin(plan, state);
    return run_stages(plan, state, h, report);
  };
  if (!renewals_.settle(objective_, state, h, end.d, report, again)) return report;
  new_x_ = state.x + end.d;
  commit(report, state, new_x_, end.v,
         invariants(system_, new_x_, end.v, potential_.values(new_x_)),
         [&] { return account(plan, state, end.v, h); });
  return report;
}

bool MinimiseIntegrator::run_stages(TablePlan& plan, const State& state, double h,
                                    StepReport& report) {
  if (plan.adaptive_nodes) return run_adaptive(plan, state, h, report);
  clear_impulses();
  for (std::size_t k = 0; k < plan.stages.size(); ++k) {
    if (!run_stage(plan, k, state, h, report)) return false;
  }
  return true;
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
  if (own && stage.start_weight != 0) {
    y.array() += (h * h * stage.start_weight) * start_.dissipation.array() / system_.mass().array();
  }
  if (stage.end_start_weight != 0) {
    known_velocity_.array() -=
        (h * stage.end_start_weight) * start_.gradient.array() / system_.mass().array();
    if (forced_ && own) {
      known_velocity_.array() +=
          (h * stage.end_start_weight) * start_.force.array() / system_.mass().array();
    }
  }
  double all_weights = 0;
  for (const Node& node : stage.stage.nodes) all_weights += node.weight;
  std::optional<PathMeanWeights> mean;
  if (plan.averages_force) mean = {h * h * all_weights, h * h * stage.start_weight};
  objective_.prepare({.x0 = &state.x,
                      .t0 = state.t,
                      .h = h,
                      .time = stage.stage.time,
                      .nodes = stage.solved_nodes,
                      .force_nodes = stage.force_nodes,
                      .velocity_weight = stage.displacement_effect,
                      .energy_scale = report.before.scale(),
                      .path_weight = own ? stage.stage.displacement : 1,
                      .path_velocity = own ? &known_velocity_ : nullptr,
                      .start_velocity = own ? &start_.v : nullptr,
                      .dissipation_weight = all_weights - (own ? stage.start_weight : 0.0),
                      .end_weight = stage.stage.displacement,
                      .end_velocity = &known_velocity_,
                      .mean = mean});
  const bool solves = !stage.solved_nodes.empty() || (forced_ && !stage.stage.nodes.empty());
  if (!solves) {
    result.d = y;
  } else {
    if (!warm_) result.d = (stage.stage.time * h) * state.v;
    if (!(momentum_ ? keep_momenta(stage, result, state, h, report) : minimise(result, report))) {
      return false;
    }
    solver_impulse_ +=
        (stage.displacement_effect / h) * (momentum_ ? residual_ : newton_.gradient());
  }
  find_velocity(stage, k, state, h, report);
  book_impulses(stage, k, solves, h);
  if (plan.needs_history) book_coasting(stage, h);
  if (plan.needs_gradient[k] != 0) {
    assembler_.gradient(state.x, &result.d, kStageEnd, result.gradient);
    ++report.solver_work.evaluations;
  }
  if (forced_ && (plan.needs_gradient[k] != 0 || plan.needs_history)) {
    new_x_ = state.x + result.d;
    find_forces(state.t + stage.stage.time * h, new_x_, result);
  }
  return true;
}

bool MinimiseIntegrator::minimise(Point& result, StepReport& report) {
  const NewtonResult solved = newton_.minimise(objective_, result.d);
  report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                      ? report.status
                      : solved.status;
  report.solver_work += solved.work;
  report.residual = std::max(report.residual, objective_.relative_velocity_error());
  if (!succeeded(solved.status)) return false;
  // The last evaluation was a rejected trial.
  if (solved.status == StepStatus::round_off || solved.work.iterations == 0) {
    objective_.evaluate(result.d, result.v);
  }
  return true;
}

bool MinimiseIntegrator::keep_momenta(const StagePlan& stage, Point& result, const State& state,
                                      double h, StepReport& report) {
  FreeMomentumEquation equation(objective_, newton_);
  const MomentumSolve::Step step{.start = state,
                                 .h = h,
                                 .nodes = stage.stage.nodes,
                                 .start_gradient = start_.gradient,
                                 .scale = report.before.scale()};
  return momentum_->find(step, equation, warm_, result.d, residual_, report,
                         [&] { return minimise(result, report); });
}

void MinimiseIntegrator::find_velocity(const StagePlan& plan, std::size_t k, const State& state,
                                       double h, StepReport& report) {
  Point& result = points_[k];
  // Not (displacement/h)·d: the rounding of that factor would pull the same way in every step.
  result.v = plan.stage.displacement * (result.d / h) + known_velocity_;
  if (!plan.end_nodes.empty()) {
    assembler_.gradient(state.x, &result.d, plan.end_nodes, end_gradients_);
    ++report.solver_work.evaluations;
    result.v.array() -= h * end_gradients_.array() / system_.mass().array();
  }
  if (!forced_) return;
  end_forces_.setZero();
  if (plan.stage.end_forces.empty()) return;
  objective_.add_path_forces(result.d, plan.stage.end_forces, end_forces_);
  end_dissipation_ = 0;
  if (plan.stage.force_velocity == ForceVelocity::mean) {
    for (const Node& node : plan.stage.end_forces) end_dissipation_ += node.weight;
    end_forces_ += end_dissipation_ * objective_.dissipation();
  }
  // Forces that see their own velocity are in the known part already.
  if (plan.stage.force_velocity == ForceVelocity::own) return;
  result.v.array() += h * end_forces_.array() / system_.mass().array();
}

// A further solve starts from the last one's displacement, from where one or two iterations suffice.
bool MinimiseIntegrator::run_adaptive(TablePlan& plan, const State& state, double h,
                                      StepReport& report) {
  return solve_with_enough_nodes(
      path_nodes_, options_.energy_tolerance, balance_.plateau(), report,
      [&](const std::vector<Node>& nodes) {
        plan.set_path_nodes(nodes);
        clear_impulses();
        if (!run_stage(plan, 0, state, h, report)) return false;
        warm_ = true;
        new_x_ = state.x + points_[0].d;
        report.after = invariants(system_, new_x_, points_[0].v, potential_.values(new_x_));
        return true;
      },
      [&] {
        // Means over the strain have no nodes.
        if (momentum_ && momentum_->only_strain()) return 0.0;
        return ledger_of(account(plan, state, points_[0].v, h), report).quadrature;
      },
      [&](double size) {
        return balance_.floor({.x0 = &state.x,
                               .v0 = &state.v,
                               .d = &points_[0].d,
                               .x1 = &new_x_,
                               .h = h,
                               .rule = path_nodes_.nodes(),
                               .mean_force = &potential_impulse_,
                               .force_factor = 1 / h},
                              size);
      });
}

// Where the energy of a step in stages went.

// Adds up the impulses of a stage's forces: their effect on M v₁, directly and through later stages.
void MinimiseIntegrator::book_impulses(const StagePlan& plan, std::size_t k, bool solved,
                                       double h) {
  const double through_d = h * plan.displacement_effect;
  const double directly = h * plan.velocity_effect;
  if (solved) potential_impulse_ -= (through_d / (h * h)) * objective_.weighted_gradients();
  const double start_weight = through_d * plan.start_weight + directly * plan.end_start_weight;
  if (start_weight != 0) potential_impulse_ -= start_weight * start_.gradient;
  if (!plan.end_nodes.empty()) potential_impulse_ -= directly * end_gradients_;
  const auto add = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) {
      if (p.force != 0) potential_impulse_ -= (weight * p.force) * point(p.point).gradient;
    }
  };
  add(plan.stage.target, through_d);
  add(plan.stage.velocity, directly);
  if (!forced_) return;

  const bool own = plan.stage.force_velocity == ForceVelocity::own;
  weighted_forces_ = objective_.dissipation_weight() * objective_.dissipation();
  if (own) weighted_forces_ += plan.start_weight * start_.dissipation;
  book(plan, k, h, &Point::dissipation, weighted_forces_, dissipation_);
  dissipation_.impulse += (directly * end_dissipation_) * objective_.dissipation();
  if (own) {
    const double weight = directly * plan.end_start_weight;
    dissipation_.impulse += weight * start_.dissipation;
    forces_.impulse += weight * start_.dissipation;
  }
  weighted_forces_ += objective_.weighted_forces();
  book(plan, k, h, &Point::force, weighted_forces_, forces_);
  forces_.impulse += directly * end_forces_;
  driven_work_ -= (through_d * objective_.dissipation_weight() + directly * end_dissipation_) *
                  objective_.driven_power(points_[k].d);
  if (own) driven_work_ -= start_weight * start_.driven;
  const auto add_driven = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) driven_work_ -= weight * p.force * point(p.point).driven;
  };
  add_driven(plan.stage.target, through_d);
  add_driven(plan.stage.velocity, directly);
}

// The velocity at the end of the step that the method would give without any force: v₀, but for
// methods that look at the step before.
void MinimiseIntegrator::book_coasting(const StagePlan& plan, double h) {
  const auto add = [&](const std::vector<Known>& known, double effect) {
    for (const Known& p : known) {
      if (p.point > 0) continue;
      if (p.position != 0) coasting_velocity_ += (effect * p.position) * (point(p.point).d / h);
      if (p.velocity != 0) coasting_velocity_ += (effect * p.velocity) * point(p.point).v;
    }
  };
  add(plan.stage.target, plan.displacement_effect);
  add(plan.stage.velocity, plan.velocity_effect);
}

void MinimiseIntegrator::book(const StagePlan& plan, std::size_t k, double h, Vector Point::*force,
                              const Vector& weighted, Exchange& to) const {
  const double through_d = h * plan.displacement_effect;
  const double directly = h * plan.velocity_effect;
  to.impulse += through_d * weighted;
  // Forces at θ = 0 work with the start's velocity, the others with the stage's.
  const Vector& at_start = start_.*force;
  to.own_work += (through_d * plan.start_weight + directly * plan.end_start_weight) *
                 inner(system_, at_start, start_.v);
  to.own_work += through_d * (inner(system_, weighted, points_[k].v) -
                              plan.start_weight * inner(system_, at_start, points_[k].v));
  const auto add = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) {
      if (p.force == 0) continue;
      to.impulse += (weight * p.force) * (point(p.point).*force);
      to.own_work += (weight * p.force) * inner(system_, point(p.point).*force, point(p.point).v);
    }
  };
  add(plan.stage.target, through_d);
  add(plan.stage.velocity, directly);
}

// The impulses of a step add up to the change of momentum,
//   M (v₁ − v₀) = R + P + F + M (c − v₀),                                                       (1)
// R of the residuals, P of the potentials, F of all other forces; c is the velocity without any of
// them, v₀ unless the method looks at the step before. Kinetic energy changes by the product of (1)
// with w = ½(v₀+v₁), so that
//   H₁ − H₀ = w·R + [w·P + E₁ − E₀] + w·F + w·M (c − v₀).                                       (2)
// The first term is the solver's. The second should vanish: it is the quadrature error of ∇E·d for
// averaged forces (where w = u), and the method's own doing otherwise; of the change of potential
// energy, prescribed vertices take their part as work. Forces work along the velocity that they
// see, which need not be w. The difference is the method's, as is the last term.
StepAccount MinimiseIntegrator::account(const TablePlan& plan, const State& start, const Vector& v1,
                                        double h) {
  const Vector& v0 = start.v;
  const auto by_mean = [&](const Vector& impulse) {  // w·impulse
    return sum_over(system_, [&](int first, int last) {
      const auto part = [&](const Vector& v) { return v.segment(first, last - first); };
      return (0.5 * (part(v0) + part(v1))).dot(part(impulse));
    });
  };
  StepAccount account{.residual = by_mean(solver_impulse_),
                      .potential = by_mean(potential_impulse_),
                      .driven = driven_work_,
                      .averages_force = plan.averages_force};
  const bool own = plan.stages.back().stage.force_velocity == ForceVelocity::own;
  const Point& end = points_[plan.stages.size() - 1];
  if (forced_) {
    const double all = by_mean(forces_.impulse);  // w·F
    double along = all;                           // the work along the velocities that forces see
    if (plan.needs_history) {
      // The force of this step goes on acting through later ones: the trapezoidal rule instead.
      const auto trapezoid = [&](const Vector& at_start, const Vector& at_end) {
        return 0.5 * h * (inner(system_, at_start, v0) + inner(system_, at_end, v1));
      };
      along = trapezoid(start_.force, end.force);
      account.dissipation = trapezoid(start_.dissipation, end.dissipation);
      account.driven = -0.5 * h * (start_.driven + end.driven);
    } else if (own) {
      along = forces_.own_work;
      account.dissipation = dissipation_.own_work;
    } else {
      // The velocity that dissipation sees is that of the path.
      account.dissipation = inner(system_, end.d, dissipation_.impulse) / h;
      along -= by_mean(dissipation_.impulse) - account.dissipation;
    }
    account.beside = all - along;
    account.force = along - account.dissipation;
  }
  if (!system_.motions().empty()) {
    // By the method's own average where it has one, which leaves the quadrature error what it is.
    rule_.clear();
    if (plan.averages_force) {
      for (const Node& node : plan.stages[0].stage.nodes) {
        rule_.push_back({node.theta, 2 * node.weight});
      }
    }
    account.prescribed =
        momentum_ ? momentum_->prescribed_work(end.d, rule_)
        : rule_.empty()
            ? prescribed_work(assembler_.world(), start.x, end.d, weighted_forces_)
            : prescribed_work(assembler_.world(), start.x, end.d, rule_, weighted_forces_);
  }
  if (plan.needs_history) {
    weighted_forces_ = system_.mass().cwiseProduct(coasting_velocity_ - v0);
    account.beside += by_mean(weighted_forces_);
  }
  return account;
}

}  // namespace lilyan
