#include "lilyan/integrate/constrained/constrained.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/constrained/constrained_table.hpp"
#include "lilyan/integrate/constrained/constraint_check.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
namespace {

double weights_of(const std::vector<Node>& nodes) {
  double sum = 0;
  for (const Node& node : nodes) sum += node.weight;
  return sum;
}

}  // namespace

ConstrainedIntegrator::ConstrainedIntegrator(const System& system, const Scheme& scheme,
                                             const SolverOptions& options)
    : system_(system),
      options_(options),
      plan_(constrained_table(scheme)),
      forced_(!system.forces().empty() || !system.dissipations().empty()),
      assembler_(system),
      potential_(assembler_),
      objective_(assembler_, options),
      constrained_(system, objective_),
      newton_(system, constrained_.set().equations(),
              plan_.stages[0].solved_nodes.empty() ? nullptr : &assembler_.hessian_pattern(),
              options.newton),
      end_jacobian_(constrained_.set().make_jacobian()) {
  const int m = constrained_.set().equations();
  end_gram_.setZero(m, m);
  for (Vector* v : {&end_values_, &normal_, &rate_}) v->setZero(m);
  for (Vector* v : {&d_, &velocity_, &end_x_, &start_gradient_, &end_gradients_, &end_forces_,
                    &impulse_, &known_velocity_}) {
    v->setZero(system.dofs());
  }
}

std::string_view ConstrainedIntegrator::linear_solver() const {
  return newton_.linear_solver() ? newton_.linear_solver()->name() : std::string_view{};
}

bool ConstrainedIntegrator::begin(const State& state, double h, StepReport& report) {
  const ConstraintSet& set = constrained_.set();
  if (!constrained_.begin(state.x)) {
    if (!checked_) {
      refuse_dependent(system_, set, constrained_.start_factor().dependent(),
                       constrained_.start_gram(), constrained_.start_values(),
                       constrained_.start_scale());
    }
    report.status = StepStatus::singular_constraints;
    return false;
  }
  const auto& jacobian = constrained_.start_jacobian();
  check_values(system_, set, constrained_.start_values(), constrained_.start_scale(), jacobian);
  set.apply(jacobian, state.v, rate_);
  check_velocities(system_, set, rate_, state.v, jacobian, constrained_.start_scale(), h);
  checked_ = true;
  if (plan_.needs_start_gradient) start_gradient_ = potential_.gradient(state.x);
  return true;
}

StepReport ConstrainedIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  if (!begin(state, h, report)) return report;
  objective_.begin_step(state.x, h);
  if (!(plan_.adaptive_nodes ? solve_adaptive(state, h, report) : solve(state, h, report))) {
    return report;
  }
  const Invariants after = invariants(system_, end_x_, velocity_, potential_.values(end_x_));
  if (!std::isfinite(after.total)) {
    report.status = StepStatus::non_finite;
    return report;
  }
  report.after = after;
  report.ledger = ledger(state, h, report);
  state.x_previous = state.x;
  state.v_previous = state.v;
  state.x = end_x_;
  state.v = velocity_;
  state.h_previous = h;
  state.t += h;
  return report;
}

bool ConstrainedIntegrator::solve(const State& state, double h, StepReport& report) {
  const StagePlan& stage = plan_.stages.front();
  Vector& y = objective_.target();
  y = h * state.v;
  if (stage.start_weight != 0) {
    y.array() -= (h * h * stage.start_weight) * start_gradient_.array() / system_.mass().array();
  }
  double start_velocity = 0;
  for (const Known& k : stage.stage.velocity) start_velocity += k.velocity;
  known_velocity_ = start_velocity * state.v;
  std::optional<PathMean> mean;
  if (plan_.averages_force) {
    mean = {h * h * weights_of(stage.stage.nodes), h * h * stage.start_weight};
  }
  objective_.prepare({.x0 = &state.x,
                      .t0 = state.t,
                      .h = h,
                      .nodes = stage.solved_nodes,
                      .force_nodes = stage.stage.nodes,
                      .velocity_weight = stage.displacement_effect,
                      .energy_scale = report.before.scale(),
                      .path_weight = 1,
                      .path_velocity = nullptr,
                      .start_velocity = nullptr,
                      .dissipation_weight = weights_of(stage.stage.nodes),
                      .end_weight = stage.stage.displacement,
                      .end_velocity = &known_velocity_,
                      .mean = mean});
  average_.clear();
  if (plan_.averages_force) {
    for (const Node& n : stage.stage.nodes) average_.push_back({n.theta, 2 * n.weight});
  }
  constrained_.prepare({.x0 = &state.x, .v0 = &state.v, .h = h, .average = average_});
  d_ = h * state.v;
  const NewtonResult solved = newton_.solve(constrained_, d_);
  report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                      ? report.status
                      : solved.status;
  report.iterations += solved.iterations;
  report.factorisations += solved.factorisations;
  report.evaluations += solved.evaluations;
  report.definiteness_fixes += solved.definiteness_fixes;
  report.residual = std::max(report.residual, objective_.relative_velocity_error());
  if (!succeeded(solved.status)) return false;
  // The last evaluation may have been a trial that was not taken; the ledger wants the gradients.
  constrained_.evaluate(d_, end_gradients_, end_values_);
  end_x_ = state.x + d_;
  find_velocity(state, h);
  if (project()) return true;
  report.status = StepStatus::singular_constraints;
  return false;
}

void ConstrainedIntegrator::find_velocity(const State& state, double h) {
  const StagePlan& plan = plan_.stages.front();
  const auto& mass = system_.mass().array();
  // Divided by h, not multiplied by its rounded inverse: d has the factor h from the target, and
  // what were left of it would change the energy by the same share in every step.
  velocity_ = d_ / h;
  velocity_ *= plan.stage.displacement;
  double start_velocity = 0;
  for (const Known& k : plan.stage.velocity) start_velocity += k.velocity;
  velocity_ += start_velocity * state.v;
  if (plan_.averages_force) {  // (5)
    velocity_.array() += start_velocity * constrained_.normal_impulse().array() / mass;
    return;
  }
  // (2): what the constraints' part of d gets from the rule beyond its own mean velocity.
  impulse_.setZero();
  constrained_.set().add_transposed(constrained_.start_jacobian(), newton_.multipliers(),
                                    (1 - plan.stage.displacement) / h, impulse_);
  if (plan.end_start_weight != 0) impulse_ -= (h * plan.end_start_weight) * start_gradient_;
  if (!plan.end_nodes.empty()) {
    assembler_.gradient(state.x, &d_, plan.end_nodes, end_gradients_);
    impulse_ -= h * end_gradients_;
  }
  if (forced_) {
    end_forces_.setZero();
    objective_.add_path_forces(d_, plan.stage.end_forces, end_forces_);
    end_forces_ += weights_of(plan.stage.end_forces) * objective_.dissipation();
    impulse_ += h * end_forces_;
  }
  velocity_.array() += impulse_.array() / mass;
}

bool ConstrainedIntegrator::project() {
  const ConstraintSet& set = constrained_.set();
  set.evaluate(end_x_, end_values_, end_jacobian_);
  set.gram(end_jacobian_, end_jacobian_, end_gram_);
  if (!end_factor_.factorise(end_gram_)) return false;
  for (int pass = 0; pass < 2; ++pass) {  // the second takes out what rounding left
    set.apply(end_jacobian_, velocity_, rate_);
    end_factor_.solve_lower(rate_);
    if (pass == 0) normal_ = rate_;
    end_factor_.solve_upper(rate_);
    impulse_.setZero();
    set.add_transposed(end_jacobian_, rate_, 1, impulse_);
    velocity_.array() -= impulse_.array() / system_.mass().array();
  }
  return true;
}

// More Gauss points until the energy error of the quadrature is below the tolerance.
bool ConstrainedIntegrator::solve_adaptive(const State& state, double h, StepReport& report) {
  gauss_.begin_step();
  const double scale = report.before.scale();
  while (true) {
    plan_.set_gauss_nodes(gauss_.nodes());
    if (!solve(state, h, report)) return false;
    StepReport trial = report;
    trial.after = invariants(system_, end_x_, velocity_, potential_.values(end_x_));
    if (!std::isfinite(trial.after.total)) break;  // the caller says so
    const double error = std::abs(ledger(state, h, trial).quadrature);
    const double size = std::max(scale, trial.after.scale());
    if (gauss_.accept(error / (options_.energy_tolerance * size))) break;
  }
  report.nodes = gauss_.used();
  return true;
}

// As in minimise.cpp. For averaged forces ½(v₀'+v₁') = u, so that with the residual r, exactly,
//   ΔT = (2/h²) d·r − ∇Ē·d + (2/h²) λ̂·Ḡd + ½|ν|² − ½|ν₁|²  + work,
// of which Ḡd − Δg is an error of quadrature and Δg, ν₁ ≠ ν are what the solver left.
Ledger ConstrainedIntegrator::ledger(const State& state, double h, const StepReport& report) {
  Ledger result;
  const StagePlan& stage = plan_.stages.front();
  result.work = plan_.averages_force ? prescribed_work(system_, state.x, d_, average_, impulse_)
                                     : prescribed_work(system_, state.x, d_, impulse_);
  const double prescribed = result.work;
  const double a = stage.displacement_effect;
  const Vector& residual = newton_.residual();
  if (!plan_.averages_force) {
    impulse_ = 0.5 * (state.v + velocity_);
    result.solver = (a / h) * impulse_.dot(residual);
    if (forced_) {
      const double end_weight = weights_of(stage.stage.end_forces);
      result.work +=
          h * (a * impulse_.dot(objective_.weighted_forces()) + impulse_.dot(end_forces_) -
               end_weight * impulse_.dot(objective_.dissipation()));
      result.dissipation =
          (a * objective_.dissipation_weight() + end_weight) * d_.dot(objective_.dissipation());
      const double driven = -h * objective_.driven_power(d_);
      result.dissipation -= driven;
      result.work += driven;
    }
    result.method =
        report.after.total - report.before.total - result.solver - result.work - result.dissipation;
    return result;
  }
  const double rate = a / (h * h);
  const Vector& lambda = newton_.multipliers();
  constrained_.set().apply(constrained_.directions(), d_, rate_);  // Ḡd
  end_values_ -= constrained_.start_values();                      // Δg
  const double closing = rate * lambda.dot(end_values_);
  const double pushing = rate * lambda.dot(rate_);
  end_values_ += constrained_.start_values();
  result.solver = rate * d_.dot(residual) + closing +
                  0.5 * (constrained_.normal_speed().squaredNorm() - normal_.squaredNorm());
  if (forced_) {
    const double weight = a * objective_.dissipation_weight();
    const double driven = -h * weight * objective_.driven_power(d_);
    result.work += a * d_.dot(objective_.weighted_forces()) + driven;
    result.dissipation = weight * d_.dot(objective_.dissipation()) - driven;
  }
  double change = 0;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    change += report.after.potential[k] - report.before.potential[k];
  }
  result.quadrature =
      change - prescribed - rate * d_.dot(objective_.weighted_gradients()) + pushing - closing;
  if (stage.start_weight != 0) {
    result.quadrature -= a * stage.start_weight * d_.dot(start_gradient_);
  }
  return result;
}

}  // namespace lilyan
