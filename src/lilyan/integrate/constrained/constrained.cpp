#include "lilyan/integrate/constrained/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/commit.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"
#include "lilyan/solve/direction.hpp"

namespace lilyan {

namespace {

// |g| in units of the rounding error of its terms: to be reached, and to be content with.
constexpr double kClosed = 4;
constexpr double kNearlyClosed = 64;
// Averaged directions and normal speeds are taken from the last iterate, so convergence is linear,
// and what is left at the tolerance has the same sign in step after step. One iteration more, as a
// rule, brings that below rounding, where Newton's method for free steps gets on its own.
constexpr double kAveragedTarget = 0.01;

}  // namespace

ConstrainedEquation::ConstrainedEquation(const System& system, StepObjective& free,
                                         const BlockPattern* pattern, Definiteness definiteness)
    : system_(system),
      free_(free),
      set_(system),
      pattern_(pattern),
      definiteness_(definiteness),
      forced_(!system.forces().empty()),
      n_(system.dofs()),
      m_(set_.equations()),
      mix_lu_(m_),
      lu_(m_) {
  for (auto* j : {&start_, &end_, &mean_, &node_}) *j = set_.make_jacobian();
  for (DenseMatrix* a : {&gram_, &end_gram_, &mix_, &schur_}) a->setZero(m_, m_);
  columns_.setZero(n_, m_);
  for (Vector* v : {&start_values_, &scale_, &nu_, &normal_right_, &g_, &lambda_, &scratch_}) {
    v->setZero(m_);
  }
  for (Vector* v : {&plain_target_, &normal_impulse_, &x_, &velocity_, &diagonal_, &d_, &gradient_,
                    &right_, &solution_}) {
    v->setZero(n_);
  }
  correction_.setZero(n_ + m_);
  if (!pattern_) return;
  cholesky_ = make_cholesky(*pattern_);
  hessian_.resize(static_cast<std::size_t>(pattern_->storage()));
  free_right_.setZero(pattern_->dofs());
  free_solution_.setZero(pattern_->dofs());
}

bool ConstrainedEquation::begin(const Vector& x0) {
  set_.evaluate(x0, start_values_, start_);
  set_.scales(x0, scale_);
  set_.gram(start_, start_, gram_);
  return start_factor_.factorise(gram_);
}

void ConstrainedEquation::prepare(const Problem& problem, const Vector& d, Vector& z) {
  problem_ = problem;
  factorised_ = false;
  nu_.setZero();
  normal_impulse_.setZero();
  plain_target_ = free_.target();
  z.resize(n_ + m_);
  z.head(n_) = d;
  z.tail(m_).setZero();
  if (!linearise(d)) pull_back(z, 0);
}

bool ConstrainedEquation::linearise(const Vector& d) {
  reach_ = d.cwiseAbs().maxCoeff();
  new_columns_ = new_columns_ || averaged();
  x_ = *problem_.x0 + d;
  set_.evaluate(x_, scratch_, end_);
  if (averaged()) {
    std::ranges::fill(mean_, 0.0);
    for (const auto& [c, b] : problem_.average) {
      x_ = *problem_.x0 + c * d;
      set_.evaluate(x_, scratch_, node_);
      for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += b * node_[i];
    }
    if (!find_normal_speed(d)) return false;
    free_.target().array() =
        plain_target_.array() + problem_.h * normal_impulse_.array() / system_.mass().array();
  }
  free_.linearise(d);
  return true;
}

// With v₁ = 2u − v₀ − N₀ν before its normal part is taken out, N₁ᵀM v₁ = ν is
//   (1 + L₁⁻¹ G₁M⁻¹G₀ᵀ L₀⁻ᵀ) ν = L₁⁻¹G₁ (2u − v₀),
// a matrix near 2.
bool ConstrainedEquation::find_normal_speed(const Vector& d) {
  set_.gram(end_, end_, end_gram_);
  if (!end_factor_.factorise(end_gram_)) return false;
  set_.gram(start_, end_, mix_);  // its transpose is G₁M⁻¹G₀ᵀ
  for (int k = 0; k < m_; ++k) start_factor_.solve_lower(mix_.col(k));
  mix_.transposeInPlace();
  for (int k = 0; k < m_; ++k) {
    end_factor_.solve_lower(mix_.col(k));
    mix_(k, k) += 1;
  }
  velocity_ = 2 * d / problem_.h - *problem_.v0;
  set_.apply(end_, velocity_, normal_right_);
  end_factor_.solve_lower(normal_right_);
  mix_lu_.compute(mix_);
  mix_lu_.solve(normal_right_, nu_);
  if (!nu_.allFinite()) return false;
  normal_right_ = nu_;
  start_factor_.solve_upper(normal_right_);
  normal_impulse_.setZero();
  set_.add_transposed(start_, normal_right_, 1, normal_impulse_);
  return true;
}

// The norm is √(‖residual‖² + |g|²), both as displacements in the norm of M.
Equation::Size ConstrainedEquation::evaluate(const Vector& z, Vector& residual) {
  d_ = z.head(n_);
  lambda_ = z.tail(m_);
  x_ = *problem_.x0 + d_;
  set_.values(x_, g_);
  const double value = free_.evaluate(d_, gradient_);
  set_.add_transposed(directions(), lambda_, -1, gradient_);
  residual.head(n_) = gradient_;
  residual.tail(m_) = g_;
  const bool defined = std::isfinite(value) && g_.allFinite();
  return {.norm = defined ? std::hypot(free_.norm(gradient_), distance(g_))
                          : std::numeric_limits<double>::infinity(),
          .value = value};
}

Equation::Arrival ConstrainedEquation::arrive(const Vector& z) {
  d_ = z.head(n_);
  if (!linearise(d_)) {
    singular_ = StepStatus::singular_constraints;
    return Arrival::singular;
  }
  return averaged() || forced_ ? Arrival::changed : Arrival::same;
}

double ConstrainedEquation::defect(const Vector& z, const Vector& residual) {
  d_ = z.head(n_);
  gradient_ = residual.head(n_);
  return free_.defect(d_, gradient_);
}

std::optional<StepStatus> ConstrainedEquation::judge(const Vector& z, const Vector& residual,
                                                     const Step& last) {
  const double error = defect(z, residual);
  g_ = residual.tail(m_);
  good_ = error <= 1 && closed(g_, kClosed);
  if (good_ && (last.stalled() || error <= (averaged() ? kAveragedTarget : 1))) {
    return StepStatus::converged;
  }
  if (last.stalled() && at_rounding(z, residual)) return StepStatus::round_off;
  return {};
}

std::optional<StepStatus> ConstrainedEquation::judge_stuck(const Vector& z,
                                                           const Vector& residual) {
  if (good_) return StepStatus::converged;
  return Equation::judge_stuck(z, residual);
}

bool ConstrainedEquation::at_rounding(const Vector& z, const Vector& residual) {
  d_ = z.head(n_);
  lambda_ = z.tail(m_);
  gradient_ = residual.head(n_);
  g_ = residual.tail(m_);
  return at_rounding(d_, g_, gradient_, lambda_);
}

bool ConstrainedEquation::at_rounding(const Vector& d, const Vector& g, const Vector& residual,
                                      const Vector& lambda) {
  if (!closed(g, kNearlyClosed)) return false;
  right_.setZero();
  set_.add_transposed(directions(), lambda, 1, right_);
  const double push = 8 * kEpsilon * free_.norm(right_);
  // Constraints are closed to the rounding errors of positions, which are no displacement to speak of.
  right_.setZero();
  for (const auto& c : system_.constraints()) {
    for (const int i : c->dofs()) {
      right_[i] = 4 * kEpsilon * diagonal_[i] * (std::abs((*problem_.x0)[i]) + std::abs(d[i]));
    }
  }
  const double closing = free_.norm(right_);
  return free_.norm(residual) <= free_.rounding(d, diagonal_).gradient + push + closing;
}

// (As in Newton's method for free steps: a stiff body hardly gives way to impulses that rounding errors leave.)
bool ConstrainedEquation::rounding_is_harmless(const Vector& z, const Vector& residual) {
  d_ = z.head(n_);
  gradient_ = residual.head(n_);
  if (free_.rounding_is_harmless(d_, gradient_)) return true;
  if (!factorised_) return false;
  solve(residual, correction_);
  gradient_ = system_.mass().cwiseProduct(correction_.head(n_));
  return free_.rounding_is_harmless(d_, gradient_);
}

double ConstrainedEquation::norm(const Vector& residual) {
  gradient_ = residual.head(n_);
  g_ = residual.tail(m_);
  return std::hypot(free_.norm(gradient_), distance(g_));
}

// The terms of g at the start, which at the origin may vanish, and those that the displacement adds: it is known to
// the rounding errors of a linear solution, relative to the largest of its entries.
double ConstrainedEquation::closing_scale(int k) const {
  return scale_[k] + set_.row_norm(start_, k) * reach_;
}

double ConstrainedEquation::gap(const Vector& residual) const {
  double most = 0;
  for (int k = 0; k < m_; ++k) {
    most = std::max(most, std::abs(residual[n_ + k]) / (kEpsilon * closing_scale(k)));
  }
  return most;
}

double ConstrainedEquation::distance(const Vector& g) {
  scratch_ = g;
  start_factor_.solve_lower(scratch_);
  return scratch_.norm();
}

bool ConstrainedEquation::closed(const Vector& g, double factor) const {
  for (Eigen::Index k = 0; k < g.size(); ++k) {
    if (!(std::abs(g[k]) <= factor * kEpsilon * closing_scale(static_cast<int>(k)))) return false;
  }
  return true;
}

bool ConstrainedEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& times) {
  new_columns_ = true;
  if (!pattern_) {
    diagonal_ = system_.mass();
    if (forced_) diagonal_ += free_.damping();
    factorised_ = true;
    return true;
  }
  d_ = z.head(n_);
  singular_ = StepStatus::not_definite;
  const bool done =
      factorise_definite(free_, d_, *pattern_, definiteness_, *cholesky_, hessian_, work, times);
  for (int c = 0; c < pattern_->dofs(); ++c) {
    diagonal_[pattern_->dof(c)] = hessian_[pattern_->column_start()[c]];
  }
  factorised_ = done;
  return done;
}

void ConstrainedEquation::solve_hessian(const Vector& right, Vector& solution) {
  if (!pattern_) {
    solution.array() = right.array() / diagonal_.array();
    return;
  }
  for (int c = 0; c < pattern_->dofs(); ++c) free_right_[c] = right[pattern_->dof(c)];
  cholesky_->solve(free_right_, free_solution_);
  solution.setZero();
  for (int c = 0; c < pattern_->dofs(); ++c) solution[pattern_->dof(c)] = free_solution_[c];
}

// (4)
void ConstrainedEquation::solve(const Vector& residual, Vector& direction) {
  singular_ = StepStatus::singular_constraints;
  for (int k = 0; k < m_; ++k) {
    if (new_columns_) {
      set_.column(directions(), k, right_);
      solve_hessian(right_, solution_);
      columns_.col(k) = solution_;
    } else {
      solution_ = columns_.col(k);
    }
    set_.apply(end_, solution_, scratch_);
    schur_.col(k) = scratch_;
  }
  new_columns_ = false;
  lu_.compute(schur_);
  right_ = residual.head(n_);
  solve_hessian(right_, solution_);
  set_.apply(end_, solution_, scratch_);
  scratch_ -= residual.tail(m_);
  lu_.solve(scratch_, lambda_);
  solution_ = -solution_;
  for (int k = 0; k < m_; ++k) solution_ += lambda_[k] * columns_.col(k);
  direction.head(n_) = solution_;
  direction.tail(m_) = lambda_;
}

void ConstrainedEquation::move(const Vector& z, double length, const Vector& direction,
                               Vector& trial) const {
  trial.head(n_) = z.head(n_) + length * direction.head(n_);
  trial.tail(m_) = z.tail(m_) + direction.tail(m_);
}

void ConstrainedEquation::pull_back(Vector& z, double factor) const {
  const int dimension = system_.dimension();
  for (int i = 0; i < n_; ++i) {
    if (!system_.fixed(i / dimension)) z[i] *= factor;
  }
}

MeritFunction::Slope ConstrainedEquation::begin_search(const Vector& z, const Vector& residual,
                                                       const Vector& direction) {
  d_ = z.head(n_);
  g_ = residual.tail(m_);
  solution_ = direction.head(n_);
  // The gradient with the new multipliers, which is −H δ. Where it is rounding error, d is right
  // already and only the multipliers are not, as in a body at rest: δ is noise, and so are the
  // slope and its sign.
  gradient_ = residual.head(n_);
  lambda_ = direction.tail(m_);
  set_.add_transposed(directions(), lambda_, -1, gradient_);
  lambda_ = z.tail(m_) + direction.tail(m_);
  scratch_ = lambda_;
  start_factor_.multiply_upper(scratch_);
  weight_ = scratch_.norm();
  start_distance_ = distance(g_);
  set_.apply(directions(), solution_, scratch_);
  push_ = lambda_.dot(scratch_);
  return {.value = gradient_.dot(solution_) - weight_ * start_distance_,
          .noise = at_rounding(d_, g_, gradient_, lambda_)};
}

// (5)
double ConstrainedEquation::change(double length, double value, const Vector& trial_residual) {
  g_ = trial_residual.tail(m_);
  return value - length * push_ + weight_ * (distance(g_) - start_distance_);
}

// Positions are absolute in g: its rounding errors enter (5) with their weight, beside those of Φ.
double ConstrainedEquation::rounding(const Vector& z) {
  d_ = z.head(n_);
  for (int k = 0; k < m_; ++k) g_[k] = kNearlyClosed * kEpsilon * closing_scale(k);
  return free_.rounding(d_, diagonal_).value + weight_ * distance(g_) +
         8 * kEpsilon * std::abs(push_);
}

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
         [&] { return ledger(state, h, report); });
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
        return ledger(state, h, report).quadrature;
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

Ledger ConstrainedIntegrator::ledger(const State& state, double h, const StepReport& report) {
  return plan_.averages_force ? averaged_ledger(state, h, report)
                              : variational_ledger(state, h, report);
}

// With a the weight of d/h in the rule (2) of constrained.hpp, r the residual of (1) there, and
// λ̂ = h²λ its multipliers, (1), (2) and (3) say that the momentum changes by
//   M (v₁ − v₀) = (a/h) r − h [a Σ βᵢ∇Eᵢ + Σ wᵢ∇Eᵢ] + h [a Σ βᵢFᵢ + Σ wᵢFᵢ] + G₀ᵀλ̂/h − G₁ᵀμ    (6)
// and kinetic energy by the product of that with w = ½(v₀+v₁). The residual's part is the solver's,
// that of external forces work. Dissipation works along u = d/h, which it sees: it is −D·u, and
// D·(u − w) is left to the method, together with the constraints' part and
// with what potentials do, less the work of prescribed vertices.
Ledger ConstrainedIntegrator::variational_ledger(const State& state, double h,
                                                 const StepReport& report) {
  const StagePlan& stage = plan_.stages.front();
  const double a = stage.displacement_effect;
  Ledger result;
  result.work = prescribed_work(assembler_.world(), state.x, d_, impulse_);
  result.method = potential_change(report.before, report.after) - result.work;
  const auto mean = 0.5 * (state.v + velocity_);
  result.solver = (a / h) * mean.dot(residual_);
  // Potentials and constraints.
  impulse_ = projection_ - (a / h) * objective_.weighted_gradients() - h * end_gradients_;
  const double start_weight = a * stage.start_weight + stage.end_start_weight;
  if (start_weight != 0) impulse_ -= (h * start_weight) * start_gradient_;
  equation_.set().add_transposed(equation_.start_jacobian(), multipliers_, 1 / h, impulse_);
  result.method += mean.dot(impulse_);
  if (!forced_) return result;
  const double end_weight = weights_of(stage.stage.end_forces);
  const Vector& dissipation = objective_.dissipation();
  result.work += h * (a * mean.dot(objective_.weighted_forces()) + mean.dot(end_forces_) -
                      end_weight * mean.dot(dissipation));
  const double weight = a * objective_.dissipation_weight() + end_weight;
  const double driven = -h * objective_.driven_power(d_);
  result.dissipation = weight * d_.dot(dissipation) - driven;
  result.work += driven;
  result.method += weight * (h * mean - d_).dot(dissipation);
  return result;
}

// As in minimise.cpp. Here ½(v₀'+v₁') = u, so that with the residual r, exactly,
//   ΔT = (2/h²) d·r − ∇Ē·d + (2/h²) λ̂·Ḡd + ½|ν|² − ½|ν₁|²  + work,                             (7)
// where Ḡd − Δg is an error of quadrature, and Δg and ν₁ − ν are errors of the solver.
Ledger ConstrainedIntegrator::averaged_ledger(const State& state, double h,
                                              const StepReport& report) {
  const StagePlan& stage = plan_.stages.front();
  Ledger result;
  const double prescribed =
      momentum_ ? momentum_->prescribed_work(d_, average_)
                : prescribed_work(assembler_.world(), state.x, d_, average_, impulse_);
  result.work = prescribed;
  const double a = stage.displacement_effect;
  const double rate = a / (h * h);
  const Vector& lambda = multipliers_;
  equation_.set().apply(equation_.directions(), d_, rate_);  // Ḡd
  end_values_ -= equation_.start_values();                   // Δg
  const double closing = rate * lambda.dot(end_values_);
  const double pushing = rate * lambda.dot(rate_);
  end_values_ += equation_.start_values();
  result.solver = rate * d_.dot(residual_) + closing +
                  0.5 * (equation_.normal_speed().squaredNorm() - normal_.squaredNorm());
  if (forced_) {
    const double weight = a * objective_.dissipation_weight();
    const double driven = -h * weight * objective_.driven_power(d_);
    result.work += a * d_.dot(objective_.weighted_forces()) + driven;
    result.dissipation = weight * d_.dot(objective_.dissipation()) - driven;
  }
  result.quadrature = potential_change(report.before, report.after) - prescribed -
                      rate * d_.dot(objective_.weighted_gradients()) + pushing - closing;
  if (stage.start_weight != 0) {
    result.quadrature -= a * stage.start_weight * d_.dot(start_gradient_);
  }
  return result;
}

}  // namespace lilyan
