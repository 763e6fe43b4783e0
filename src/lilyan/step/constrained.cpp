#include "lilyan/step/constrained.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
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
      work_(assembler_, options),
      equation_(work_,
                plan_.stages[0].solved_nodes.empty() ? nullptr : &assembler_.hessian_pattern(),
                options.newton.definiteness),
      root_(system_.dofs() + equation_.set().equations(), options.newton),
      momentum_equation_(equation_),
      renewals_(system_) {
  data_.end.jacobian = equation_.set().make_jacobian();
  const int m = equation_.set().equations();
  data_.end.gram.setZero(m, m);
  for (Vector* v :
       {&data_.end.values, &data_.end.normal, &data_.rate, &data_.multipliers, &data_.scales})
    v->setZero(m);
  for (Vector* v : {&data_.d, &data_.residual, &data_.target, &data_.velocity, &data_.end_x,
                    &data_.start_gradient, &data_.end_gradients, &data_.end_forces, &data_.impulse,
                    &data_.projection, &data_.known_velocity}) {
    v->setZero(system_.dofs());
  }
  if (constrained_table(scheme).keeps_angular_momentum && system_.dimension() == 3) {
    momentum_ = std::make_unique<MomentumSolve>(assembler_, options_, m);
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
    if (!data_.checked) {
      refuse_dependent(system_, set, equation_.start_factor().dependent(), equation_.start_gram(),
                       equation_.start_values(), equation_.start_scale());
    }
    report.status = StepStatus::singular_constraints;
    return false;
  }
  const auto& jacobian = equation_.start_jacobian();
  check_values(system_, set, equation_.start_values(), equation_.start_scale(), jacobian);
  set.apply(jacobian, state.v, data_.rate);
  check_velocities(system_, set, data_.rate, state.v, jacobian, equation_.start_scale(), h);
  data_.checked = true;
  if (plan_.needs_start_gradient) data_.start_gradient = potential_.gradient(state.x);
  return true;
}

StepReport ConstrainedIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  system_.embedding().restrict_velocity(state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  if (!begin(state, h, report)) return report;
  work_.begin_step(state, h, span_of_step(state, h));
  data_.warm = false;
  const auto solve_step = [&] {
    return plan_.adaptive_nodes ? solve_adaptive(state, h, report) : solve(state, h, report);
  };
  if (!solve_step()) return report;
  data_.warm = true;
  if (!renewals_.settle(work_, state, h, data_.d, report, solve_step)) return report;
  commit(report, state, data_.end_x, data_.velocity,
         invariants(system_, data_.end_x, data_.velocity, potential_.values(data_.end_x)),
         [&] { return account(state, h); });
  if (plan_.exact_nodes || (momentum_ && momentum_->only_strain())) {
    book_rounding(report, [&](double energy) {
      return floor(state.x_previous, state.v_previous, h, energy);
    });
  }
  return report;
}

bool ConstrainedIntegrator::solve(const State& state, double h, StepReport& report) {
  const StagePlan& stage = plan_.stages.front();
  Vector& y = data_.target;
  y = h * state.v;
  if (stage.start_weight != 0) {
    system_.mass().add_solved(-h * h * stage.start_weight, data_.start_gradient, y);
  }
  double start_velocity = 0;
  for (const Known& k : stage.stage.velocity) start_velocity += k.velocity;
  data_.known_velocity = start_velocity * state.v;
  std::optional<PathMeanWeights> mean;
  if (plan_.averages_force) {
    mean = {h * h * weights_of(stage.stage.nodes), h * h * stage.start_weight};
  }
  const StageTerms terms{.x0 = &state.x,
                         .target = &y,
                         .t0 = state.t,
                         .h = h,
                         .nodes = stage.solved_nodes,
                         .force_nodes = stage.force_nodes,
                         .velocity_weight = stage.displacement_effect,
                         .energy_scale = report.before.scale(),
                         .dissipation_weight = weights_of(stage.stage.nodes),
                         .end_weight = stage.stage.displacement,
                         .end_velocity = &data_.known_velocity,
                         .mean = mean};
  data_.average.clear();
  if (plan_.averages_force) {
    for (const Node& n : stage.stage.nodes) data_.average.push_back({n.theta, 2 * n.weight});
  }
  if (!data_.warm) data_.d = h * state.v;
  equation_.prepare({.free = terms, .v0 = &state.v, .average = data_.average}, data_.d,
                    data_.found.z);
  if (!(momentum_ ? keep_momenta(state, h, report) : find_root(1, report))) return false;
  data_.d = data_.found.z.head(data_.d.size());
  data_.multipliers = data_.found.z.tail(data_.end.values.size());
  data_.residual = data_.found.residual.head(data_.d.size());
  data_.end_x = state.x + data_.d;
  find_velocity(state, h);
  if (!project()) {
    report.status = StepStatus::singular_constraints;
    return false;
  }
  return true;
}

bool ConstrainedIntegrator::find_root(double slack, StepReport& report) {
  const NewtonResult solved =
      root_.solve(equation_, data_.found, options_.newton.max_iterations, slack);
  report.status = succeeded(solved.status) && report.status == StepStatus::round_off
                      ? report.status
                      : solved.status;
  report.solver_work += solved.work;
  report.residual = std::max(report.residual, equation_.defect(data_.found).velocity);
  return succeeded(solved.status);
}

bool ConstrainedIntegrator::keep_momenta(const State& state, double h, StepReport& report) {
  const MomentumSolve::Step step{.start = state,
                                 .h = h,
                                 .nodes = plan_.stages.front().stage.nodes,
                                 .start_gradient = data_.start_gradient,
                                 .scale = report.before.scale()};
  return momentum_->find(step, momentum_equation_, data_.warm, data_.found, report,
                         [&](double slack) {
                           (void)equation_.arrive(data_.found.z);
                           return find_root(slack, report);
                         });
}

void ConstrainedIntegrator::find_velocity(const State& state, double h) {
  const StagePlan& plan = plan_.stages.front();
  const Mass& mass = system_.mass();
  // Divided by h, not multiplied by its rounded inverse: d has the factor h from the target, and a
  // factor that does not cancel would change the energy by the same share in every step.
  data_.velocity = data_.d / h;
  data_.velocity *= plan.stage.displacement;
  double start_velocity = 0;
  for (const Known& k : plan.stage.velocity) start_velocity += k.velocity;
  data_.velocity += start_velocity * state.v;
  if (plan_.averages_force) {  // (5)
    mass.add_solved(start_velocity, equation_.normal_impulse(), data_.velocity);
    return;
  }
  // (2): what the constraints' part of d gets from the rule beyond its own mean velocity.
  data_.impulse.setZero();
  equation_.set().add_transposed(equation_.start_jacobian(), data_.multipliers,
                                 (1 - plan.stage.displacement) / h, data_.impulse);
  if (plan.end_start_weight != 0)
    data_.impulse -= (h * plan.end_start_weight) * data_.start_gradient;
  data_.end_gradients.setZero();
  if (!plan.end_nodes.empty()) {
    assembler_.gradient(state.x, &data_.d, plan.end_nodes, data_.end_gradients);
    data_.impulse -= h * data_.end_gradients;
  }
  if (forced_) {
    data_.end_forces.setZero();
    equation_.stage().add_path_forces(data_.d, plan.stage.end_forces, data_.end_forces);
    data_.end_forces += weights_of(plan.stage.end_forces) * data_.found.dissipation;
    data_.impulse += h * data_.end_forces;
  }
  mass.add_solved(1, data_.impulse, data_.velocity);
}

bool ConstrainedIntegrator::project() {
  const ConstraintSet& set = equation_.set();
  set.evaluate(data_.end_x, data_.end.values, data_.end.jacobian);
  set.gram(data_.end.jacobian, data_.end.jacobian, data_.end.gram);
  if (!data_.end.factor.factorise(data_.end.gram)) return false;
  data_.projection.setZero();
  for (int pass = 0; pass < 2; ++pass) {  // the second takes out what rounding left
    set.apply(data_.end.jacobian, data_.velocity, data_.rate);
    data_.end.factor.solve_lower(data_.rate);
    if (pass == 0) data_.end.normal = data_.rate;
    data_.end.factor.solve_upper(data_.rate);
    data_.impulse.setZero();
    set.add_transposed(data_.end.jacobian, data_.rate, 1, data_.impulse);
    system_.mass().add_solved(-1, data_.impulse, data_.velocity);
    data_.projection -= data_.impulse;
  }
  return true;
}

bool ConstrainedIntegrator::solve_adaptive(const State& state, double h, StepReport& report) {
  return solve_with_enough_nodes(
      path_nodes_, options_.energy_tolerance, balance_.plateau(), report,
      [&](const std::vector<Node>& nodes) {
        plan_.set_path_nodes(nodes);
        if (!solve(state, h, report)) return false;
        report.after =
            invariants(system_, data_.end_x, data_.velocity, potential_.values(data_.end_x));
        return true;
      },
      [&] {
        if (momentum_ && momentum_->only_strain()) return 0.0;
        return ledger_of(account(state, h), report).quadrature;
      },
      [&](double size) { return floor(state.x, state.v, h, size); });
}

RoundingFloor ConstrainedIntegrator::floor(const Vector& x0, const Vector& v0, double h,
                                           double energy) {
  const double rate = plan_.stages.front().displacement_effect / (h * h);
  // Each constraint's values are differences of terms of this size, at both ends and in Ḡd.
  constexpr double kTerms = 64 * kUnitRoundoff;
  equation_.set().scales(data_.end_x, data_.scales);
  const double constraints =
      kTerms * std::abs(rate) * data_.multipliers.cwiseAbs().dot(data_.scales);
  return balance_.floor({.x0 = &x0,
                         .v0 = &v0,
                         .d = &data_.d,
                         .x1 = &data_.end_x,
                         .h = h,
                         .rule = data_.average,
                         .mean_force = &data_.found.potential,
                         .force_factor = rate,
                         .other = constraints},
                        energy);
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
  const auto mean = 0.5 * (state.v + data_.velocity);
  StepAccount account{
      .residual = (a / h) * mean.dot(data_.residual),
      .prescribed = prescribed_work(assembler_.world(), state.x, data_.d, data_.impulse)};
  // Potentials and constraints.
  data_.impulse = data_.projection - (a / h) * data_.found.potential - h * data_.end_gradients;
  const double start_weight = a * stage.start_weight + stage.end_start_weight;
  if (start_weight != 0) data_.impulse -= (h * start_weight) * data_.start_gradient;
  equation_.set().add_transposed(equation_.start_jacobian(), data_.multipliers, 1 / h,
                                 data_.impulse);
  account.potential = mean.dot(data_.impulse);
  if (!forced_) return account;
  const double end_weight = weights_of(stage.stage.end_forces);
  const Vector& dissipation = data_.found.dissipation;
  account.force = h * (a * mean.dot(equation_.forces().force) + mean.dot(data_.end_forces) -
                       end_weight * mean.dot(dissipation));
  const double weight = a * equation_.stage().dissipation_weight() + end_weight;
  account.driven = -h * equation_.stage().driven_power(data_.d);
  account.dissipation = weight * data_.d.dot(dissipation);
  account.beside = weight * (h * mean - data_.d).dot(dissipation);
  return account;
}

// As in minimise.cpp. Here ½(v₀'+v₁') = u, so that with the residual r, exactly,
//   ΔT = (2/h²) d·r − ∇Ē·d + (2/h²) λ̂·Ḡd + ½|ν|² − ½|ν₁|²  + work,                             (7)
// where Ḡd − Δg is an error of quadrature, and Δg and ν₁ − ν are errors of the solver.
StepAccount ConstrainedIntegrator::averaged_account(const State& state, double h) {
  const StagePlan& stage = plan_.stages.front();
  StepAccount account{.prescribed = momentum_
                                        ? momentum_->prescribed_work(data_.d, data_.average)
                                        : prescribed_work(assembler_.world(), state.x, data_.d,
                                                          data_.average, data_.impulse),
                      .averages_force = true};
  const double a = stage.displacement_effect;
  const double rate = a / (h * h);
  const Vector& lambda = data_.multipliers;
  equation_.set().apply(equation_.directions(), data_.d, data_.rate);  // Ḡd
  data_.end.values -= equation_.start_values();                        // Δg
  const double closing = rate * lambda.dot(data_.end.values);
  const double pushing = rate * lambda.dot(data_.rate);
  data_.end.values += equation_.start_values();
  account.residual =
      rate * data_.d.dot(data_.residual) + closing +
      0.5 * (equation_.normal_speed().squaredNorm() - data_.end.normal.squaredNorm());
  if (forced_) {
    const double weight = a * equation_.stage().dissipation_weight();
    account.driven = -h * weight * equation_.stage().driven_power(data_.d);
    account.force = a * data_.d.dot(equation_.forces().force);
    account.dissipation = weight * data_.d.dot(data_.found.dissipation);
  }
  account.potential = -rate * data_.d.dot(data_.found.potential) + pushing - closing;
  if (stage.start_weight != 0) {
    account.potential -= a * stage.start_weight * data_.d.dot(data_.start_gradient);
  }
  return account;
}

}  // namespace lilyan
