#include "lilyan/step/constrained.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/prescribed_work.hpp"

namespace lilyan {

namespace {

double weights_of(const std::vector<Node>& nodes) {
  double sum = 0;
  for (const Node& node : nodes) sum += node.weight;
  return sum;
}

}  // namespace

ConstrainedIntegrator::ConstrainedIntegrator(const World& world, const Scheme& scheme,
                                             const SolverOptions& options)
    : system_(world.system),
      options_(options),
      plan_(constrained_table(scheme)),
      forced_(!system_.forces().empty() || !system_.dissipations().empty()),
      assembler_(world),
      potential_(assembler_),
      balance_(world),
      objective_(assembler_, options),
      equation_(system_, objective_,
                plan_.stages[0].solved_nodes.empty() ? nullptr : &assembler_.hessian_pattern(),
                options.newton.definiteness),
      root_(system_.dofs() + equation_.set().equations(), options.newton),
      momentum_equation_(equation_, objective_),
      renewals_(system_),
      end_jacobian_(equation_.set().make_jacobian()) {
  const int m = equation_.set().equations();
  end_gram_.setZero(m, m);
  for (Vector* v : {&end_values_, &normal_, &rate_, &multipliers_, &scales_}) v->setZero(m);
  for (Vector* v : {&d_, &residual_, &velocity_, &end_x_, &start_gradient_, &end_gradients_,
                    &end_forces_, &impulse_, &projection_, &known_velocity_}) {
    v->setZero(system_.dofs());
  }
  if (constrained_table(scheme).keeps_angular_momentum && system_.dimension() == 3) {
    momentum_ = std::make_unique<MomentumSolve>(assembler_, options_, m);
    left_.setZero(system_.dofs() + m);
  }
}

NewtonTimes ConstrainedIntegrator::times() const {
  NewtonTimes sum = root_.times();
  sum += momentum_equation_.times();
  return sum;
}

std::string_view ConstrainedIntegrator::linear_solver() const {
  return equation_.linear_solver() ? equation_.linear_solver()->name() : std::string_view{};
}

bool ConstrainedIntegrator::begin(const State& state, double h, StepReport& report) {
  const ConstraintSet& set = equation_.set();
  if (!equation_.begin(state.x)) {
    if (!checked_) {
      refuse_dependent(system_, set, equation_.start_factor().dependent(), equation_.start_gram(),
                       equation_.start_values(), equation_.start_scale());
    }
    report.status = StepStatus::singular_constraints;
    return false;
  }
  const auto& jacobian = equation_.start_jacobian();
  check_values(system_, set, equation_.start_values(), equation_.start_scale(), jacobian);
  set.apply(jacobian, state.v, rate_);
  check_velocities(system_, set, rate_, state.v, jacobian, equation_.start_scale(), h);
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
  objective_.begin_step(state, h, span_of_step(state, h));
  warm_ = false;
  const auto solve_step = [&] {
    return plan_.adaptive_nodes ? solve_adaptive(state, h, report) : solve(state, h, report);
  };
  if (!solve_step()) return report;
  warm_ = true;
  if (!renewals_.settle(objective_, state, h, d_, report, solve_step)) return report;
  commit(report, state, end_x_, velocity_,
         invariants(system_, end_x_, velocity_, potential_.values(end_x_)),
         [&] { return account(state, h); });
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
  std::optional<PathMeanWeights> mean;
  if (plan_.averages_force) {
    mean = {h * h * weights_of(stage.stage.nodes), h * h * stage.start_weight};
  }
  objective_.prepare({.x0 = &state.x,
                      .t0 = state.t,
                      .h = h,
                      .nodes = stage.solved_nodes,
                      .force_nodes = stage.force_nodes,
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
  if (!warm_) d_ = h * state.v;
  equation_.prepare({.x0 = &state.x, .v0 = &state.v, .h = h, .average = average_}, d_, z_);
  if (!(momentum_ ? keep_momenta(state, h, report) : find_root(report))) return false;
  d_ = z_.head(d_.size());
  multipliers_ = z_.tail(end_values_.size());
  residual_ = (momentum_ ? left_ : root_.residual()).head(d_.size());
  end_x_ = state.x + d_;
  find_velocity(state, h);
  if (!project()) {
    report.status = StepStatus::singular_constraints;
    return false;
  }
  return true;
}

bool ConstrainedIntegrator::find_root(StepReport& report) {
  const NewtonResult solved = root_.solve(equation_, z_, options_.newton.max_iterations);
  report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                      ? report.status
                      : solved.status;
  report.solver_work += solved.work;
  report.residual = std::max(report.residual, objective_.relative_velocity_error());
  return succeeded(solved.status);
}

bool ConstrainedIntegrator::keep_momenta(const State& state, double h, StepReport& report) {
  const MomentumSolve::Step step{.start = state,
                                 .h = h,
                                 .nodes = plan_.stages.front().stage.nodes,
                                 .start_gradient = start_gradient_,
                                 .scale = report.before.scale()};
  return momentum_->find(step, momentum_equation_, warm_, z_, left_, report, [&] {
    (void)equation_.arrive(z_);
    return find_root(report);
  });
}

void ConstrainedIntegrator::find_velocity(const State& state, double h) {
  const StagePlan& plan = plan_.stages.front();
  const auto& mass = system_.mass().array();
  // Divided by h, not multiplied by its rounded inverse: d has the factor h from the target, and a
  // factor that does not cancel would change the energy by the same share in every step.
  velocity_ = d_ / h;
  velocity_ *= plan.stage.displacement;
  double start_velocity = 0;
  for (const Known& k : plan.stage.velocity) start_velocity += k.velocity;
  velocity_ += start_velocity * state.v;
  if (plan_.averages_force) {  // (5)
    velocity_.array() += start_velocity * equation_.normal_impulse().array() / mass;
    return;
  }
  // (2): what the constraints' part of d gets from the rule beyond its own mean velocity.
  impulse_.setZero();
  equation_.set().add_transposed(equation_.start_jacobian(), multipliers_,
                                 (1 - plan.stage.displacement) / h, impulse_);
  if (plan.end_start_weight != 0) impulse_ -= (h * plan.end_start_weight) * start_gradient_;
  end_gradients_.setZero();
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
  const ConstraintSet& set = equation_.set();
  set.evaluate(end_x_, end_values_, end_jacobian_);
  set.gram(end_jacobian_, end_jacobian_, end_gram_);
  if (!end_factor_.factorise(end_gram_)) return false;
  projection_.setZero();
  for (int pass = 0; pass < 2; ++pass) {  // the second takes out what rounding left
    set.apply(end_jacobian_, velocity_, rate_);
    end_factor_.solve_lower(rate_);
    if (pass == 0) normal_ = rate_;
    end_factor_.solve_upper(rate_);
    impulse_.setZero();
    set.add_transposed(end_jacobian_, rate_, 1, impulse_);
    velocity_.array() -= impulse_.array() / system_.mass().array();
    projection_ -= impulse_;
  }
  return true;
}

bool ConstrainedIntegrator::solve_adaptive(const State& state, double h, StepReport& report) {
  return solve_with_enough_nodes(
      path_nodes_, options_.energy_tolerance, balance_.plateau(), report,
      [&](const std::vector<Node>& nodes) {
        plan_.set_path_nodes(nodes);
        if (!solve(state, h, report)) return false;
        report.after = invariants(system_, end_x_, velocity_, potential_.values(end_x_));
        return true;
      },
      [&] {
        if (momentum_ && momentum_->only_strain()) return 0.0;
        return ledger_of(account(state, h), report).quadrature;
      },
      [&](double size) {
        const double rate = plan_.stages.front().displacement_effect / (h * h);
        RoundingFloor floor = balance_.floor({.x0 = &state.x,
                                              .v0 = &state.v,
                                              .d = &d_,
                                              .x1 = &end_x_,
                                              .h = h,
                                              .rule = path_nodes_.nodes(),
                                              .mean_force = &objective_.weighted_gradients(),
                                              .force_factor = rate},
                                             size);
        // Each constraint's values are differences of terms of this size, at both ends and in Ḡd.
        constexpr double kTerms = 64 * kUnitRoundoff;
        equation_.set().scales(end_x_, scales_);
        floor.error += kTerms * std::abs(rate) * multipliers_.cwiseAbs().dot(scales_);
        return floor;
      });
}

StepAccount ConstrainedIntegrator::account(const State& state, double h) {
  return plan_.averages_force ? averaged_account(state, h) : variational_account(state, h);
}

// With a the weight of d/h in the rule (2) of constrained.hpp, r the residual of (1) there, and
// λ̂ = h²λ its multipliers, (1), (2) and (3) say that the momentum changes by
//   M (v₁ − v₀) = (a/h) r − h [a Σ βᵢ∇Eᵢ + Σ wᵢ∇Eᵢ] + h [a Σ βᵢFᵢ + Σ wᵢFᵢ] + G₀ᵀλ̂/h − G₁ᵀμ    (6)
// and kinetic energy by the product of that with w = ½(v₀+v₁). The residual's part is the solver's,
// that of external forces work. Dissipation works along u = d/h, which it sees: it is −D·u, and
// D·(u − w) is left to the method, together with the constraints' part and
// with what potentials do, less the work of prescribed vertices.
StepAccount ConstrainedIntegrator::variational_account(const State& state, double h) {
  const StagePlan& stage = plan_.stages.front();
  const double a = stage.displacement_effect;
  const auto mean = 0.5 * (state.v + velocity_);
  StepAccount account{.residual = (a / h) * mean.dot(residual_),
                      .prescribed = prescribed_work(assembler_.world(), state.x, d_, impulse_)};
  // Potentials and constraints.
  impulse_ = projection_ - (a / h) * objective_.weighted_gradients() - h * end_gradients_;
  const double start_weight = a * stage.start_weight + stage.end_start_weight;
  if (start_weight != 0) impulse_ -= (h * start_weight) * start_gradient_;
  equation_.set().add_transposed(equation_.start_jacobian(), multipliers_, 1 / h, impulse_);
  account.potential = mean.dot(impulse_);
  if (!forced_) return account;
  const double end_weight = weights_of(stage.stage.end_forces);
  const Vector& dissipation = objective_.dissipation();
  account.force = h * (a * mean.dot(objective_.weighted_forces()) + mean.dot(end_forces_) -
                       end_weight * mean.dot(dissipation));
  const double weight = a * objective_.dissipation_weight() + end_weight;
  account.driven = -h * objective_.driven_power(d_);
  account.dissipation = weight * d_.dot(dissipation);
  account.beside = weight * (h * mean - d_).dot(dissipation);
  return account;
}

// As in minimise.cpp. Here ½(v₀'+v₁') = u, so that with the residual r, exactly,
//   ΔT = (2/h²) d·r − ∇Ē·d + (2/h²) λ̂·Ḡd + ½|ν|² − ½|ν₁|²  + work,                             (7)
// where Ḡd − Δg is an error of quadrature, and Δg and ν₁ − ν are errors of the solver.
StepAccount ConstrainedIntegrator::averaged_account(const State& state, double h) {
  const StagePlan& stage = plan_.stages.front();
  StepAccount account{.prescribed = momentum_ ? momentum_->prescribed_work(d_, average_)
                                              : prescribed_work(assembler_.world(), state.x, d_,
                                                                average_, impulse_),
                      .averages_force = true};
  const double a = stage.displacement_effect;
  const double rate = a / (h * h);
  const Vector& lambda = multipliers_;
  equation_.set().apply(equation_.directions(), d_, rate_);  // Ḡd
  end_values_ -= equation_.start_values();                   // Δg
  const double closing = rate * lambda.dot(end_values_);
  const double pushing = rate * lambda.dot(rate_);
  end_values_ += equation_.start_values();
  account.residual = rate * d_.dot(residual_) + closing +
                     0.5 * (equation_.normal_speed().squaredNorm() - normal_.squaredNorm());
  if (forced_) {
    const double weight = a * objective_.dissipation_weight();
    account.driven = -h * weight * objective_.driven_power(d_);
    account.force = a * d_.dot(objective_.weighted_forces());
    account.dissipation = weight * d_.dot(objective_.dissipation());
  }
  account.potential = -rate * d_.dot(objective_.weighted_gradients()) + pushing - closing;
  if (stage.start_weight != 0) {
    account.potential -= a * stage.start_weight * d_.dot(start_gradient_);
  }
  return account;
}

}  // namespace lilyan
