#include "lilyan/step/discrete_gradient_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/solve/timer.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/stage_equation.hpp"

namespace lilyan {

namespace {

constexpr std::array<WeightedNode, 1> kMidpoint{{{.theta = 0.5, .gradient = 1, .hessian = 0.5}}};
constexpr std::array<WeightedNode, 1> kEndpoint{{{.theta = 1, .value = 1, .gradient = 1}}};

double sum_of(const EnergyByKind& e) { return std::accumulate(e.begin(), e.end(), 0.0); }

// An all-zero matrix with the pattern.
SparseMatrix make_matrix(const FullPattern& pattern) {
  const std::vector<double> zero(pattern.row().size(), 0.0);
  return Eigen::Map<const SparseMatrix>(pattern.dofs(), pattern.dofs(), pattern.entries(),
                                        pattern.column_start().data(), pattern.row().data(),
                                        zero.data());
}

}  // namespace

DiscreteEquation::DiscreteEquation(const World& world, const FullPattern& pattern,
                                   const SolverOptions& options)
    : system_(world.system),
      pattern_(pattern),
      sums_(world),
      jacobian_(make_matrix(pattern)),
      mass_(system_.mass()),
      energy_tolerance_(options.energy_tolerance),
      velocity_tolerance_(options.velocity_tolerance),
      forced_(!system_.forces().empty()),
      dissipation_(world),
      lu_(make_lu()) {
  for (Vector* v : {&problem_.drift, &work_.lengths, &work_.scratch}) v->setZero(system_.dofs());
  for (Vector* v : {&work_.right, &work_.solution}) v->setZero(pattern.dofs());
  if (!dissipation_.empty()) {
    work_.dissipation_hessian.resize(static_cast<std::size_t>(pattern.half().storage()));
  }
  if (!forced_ && dissipation_.empty()) return;
  for (Vector* v : {&work_.damping, &work_.x, &work_.v}) v->setZero(system_.dofs());
}

void DiscreteEquation::prepare(const State& start, double h, const TimeSpan& span,
                               double energy_scale, double potential) {
  problem_.span = span;
  problem_.x0 = &start.x;
  work_.has_lengths = false;
  problem_.t_middle = start.t + h / 2;
  problem_.h = h;
  problem_.energy_scale = energy_scale;
  problem_.potential = potential;
  problem_.drift = h * start.v;
  dissipation_.begin_step(start, h);
}

void DiscreteEquation::go_to_middle(const Vector& d) {
  work_.x = *problem_.x0 + 0.5 * d;
  work_.v = d / problem_.h;
}

void DiscreteEquation::pull_back(Vector& d, double factor) const {
  system_.embedding().scale_free(factor, d);
}

double DiscreteEquation::driven_power(const Vector& d) {
  work_.v = d / problem_.h;
  return dissipation_.driven_power(DissipationVelocity::path, work_.v);
}

void DiscreteEquation::evaluate(Iterate& at) {
  const Vector& d = at.z;
  Vector& residual = at.residual;
  at.potential.resize(d.size());
  forces(d, at.potential);
  residual = at.potential;
  mass_.add_applied(d - problem_.drift, residual);
  if (!dissipation_.empty()) {
    work_.v = d / problem_.h;
    at.dissipation.setZero(d.size());
    dissipation_.value_and_gradient(DissipationVelocity::path, work_.v, -1, at.dissipation);
    residual -= (0.5 * problem_.h * problem_.h) * at.dissipation;
  }
  if (forced_) {
    go_to_middle(d);
    at.force.setZero(d.size());
    add_forces(system_, problem_.span, problem_.t_middle, work_.x, work_.v, 1, work_.scratch,
               at.force);
    residual -= (0.5 * problem_.h * problem_.h) * at.force;
  }
  at.norm = norm(residual);
}

bool DiscreteEquation::factorise(const Vector& d, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.counter(&NewtonTimes::factorisation));
  ++work.factorisations;
  double* values = jacobian_.valuePtr();
  const std::span all(values, static_cast<std::size_t>(pattern_.entries()));
  derivative(d, all);
  pattern_.add_mass(mass_, all);
  if (forced_) {
    go_to_middle(d);
    work_.damping.setZero();
    add_damping(system_, problem_.t_middle, work_.x, work_.v, 0.5 * problem_.h, work_.scratch,
                work_.damping);
    for (int c = 0; c < pattern_.dofs(); ++c) {
      values[pattern_.diagonal()[c]] += work_.damping[pattern_.half().dof(c)];
    }
  }
  if (!dissipation_.empty()) {
    work_.v = d / problem_.h;
    std::ranges::fill(work_.dissipation_hessian, 0.0);
    dissipation_.add_hessian(DissipationVelocity::path, work_.v, 0.5 * problem_.h, 0,
                             pattern_.half(), work_.dissipation_hessian);
    pattern_.add_mirrored(work_.dissipation_hessian, all);
  }
  return lu_->factorise(jacobian_);
}

void DiscreteEquation::solve_sparse(const Vector& right_side, Vector& solution) {
  for (int c = 0; c < pattern_.dofs(); ++c) work_.right[c] = right_side[pattern_.half().dof(c)];
  lu_->solve(work_.right, work_.solution);
  solution.setZero();
  for (int c = 0; c < pattern_.dofs(); ++c) solution[pattern_.half().dof(c)] = work_.solution[c];
}

void DiscreteEquation::solve(const Vector& residual, Vector& direction) {
  solve_sparse(residual, direction);
  direction = -direction;
}

double DiscreteEquation::norm(const Vector& residual) const {
  return std::sqrt(mass_.inverse_square(residual));
}

// As StageEquation::defect: a residual r is the velocity error 2/h M⁻¹r and, through the mean
// velocity d/h, the energy error 2/h² d·r.
Defect DiscreteEquation::defect(const Iterate& at) {
  const Vector& d = at.z;
  const double kinetic = 0.5 * mass_.square(d) / (problem_.h * problem_.h);
  const double scale = std::max(problem_.energy_scale, kinetic);
  const double size = norm(at.residual);
  if (size == 0) return {};
  const double velocity = 2 / std::abs(problem_.h) * size / std::sqrt(2 * scale);
  const double energy = 2 / (problem_.h * problem_.h) * std::abs(d.dot(at.residual)) / scale;
  const double worst = std::max(energy / energy_tolerance_, velocity / velocity_tolerance_);
  return {.share = std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst,
          .velocity = velocity};
}

bool DiscreteEquation::at_rounding(const Iterate& at) {
  return norm(at.residual) <= rounding(at.z);
}

bool DiscreteEquation::rounding_is_harmless(const Iterate& at) {
  const double change = std::sqrt(mass_.square(at.z - problem_.drift));
  return small_beside(system_, *problem_.x0, norm(at.residual), change);
}

// The numbers that forces are computed from are known to a relative ε, which the Jacobian turns into an error of
// the residual.
double DiscreteEquation::rounding(const Vector& d) {
  if (!work_.has_lengths) sums_.lengths(*problem_.x0, work_.lengths);
  work_.has_lengths = true;
  work_.scratch.setZero();
  for (int c = 0; c < pattern_.dofs(); ++c) {
    const int i = pattern_.half().dof(c);
    work_.scratch[i] =
        jacobian_.valuePtr()[pattern_.diagonal()[c]] * (work_.lengths[i] + std::abs(d[i]));
  }
  return 4 * kEpsilon * std::sqrt(mass_.inverse_square(work_.scratch));
}

GlobalEquation::GlobalEquation(Assembler& assembler, const FullPattern& pattern,
                               const SolverOptions& options)
    : DiscreteEquation(assembler.world(), pattern, options),
      assembler_(assembler),
      half_values_(static_cast<std::size_t>(pattern.half().storage())) {
  for (Vector* v : {&middle_, &end_, &grad_c_, &response_}) v->setZero(system_.dofs());
}

// The energy that c d has to supply, of third order in d, is dropped where it is no more than the
// rounding errors of the energies it is a difference of: c would be nothing but noise.
double GlobalEquation::coefficient(double end_energy, const Vector& d) const {
  const double work = middle_.dot(d);
  const double missing = end_energy - problem_.potential - work;
  const double size = std::abs(end_energy) + std::abs(problem_.potential) + std::abs(work);
  if (std::abs(missing) <= 8 * kEpsilon * size || d.isZero(0)) return 0;
  return missing / d.squaredNorm();  // (1)
}

void GlobalEquation::forces(const Vector& d, Vector& forces) {
  assembler_.gradient(*problem_.x0, &d, kMidpoint, middle_);
  forces = middle_;
  c_ = coefficient(sum_of(assembler_.values(*problem_.x0, &d, kEndpoint, true)), d);
  forces += c_ * d;
  forces *= 0.5 * problem_.h * problem_.h;
}

void GlobalEquation::derivative(const Vector& d, std::span<double> values) {
  assembler_.hessian(*problem_.x0, d, kMidpoint, 0, half_values_);
  const BlockPattern& half = pattern_.half();
  // ∇c first, with the product ½∇²E(x½) d from the half matrix.
  grad_c_.setZero();
  assembler_.gradient(*problem_.x0, &d, kMidpoint, middle_);
  c_ = coefficient(
      sum_of(assembler_.values_and_gradient(*problem_.x0, &d, kEndpoint, end_, nullptr, true)), d);
  if (c_ != 0) {
    const double square = d.squaredNorm();
    grad_c_ = end_ - middle_ - 2 * c_ * d;
    for (int c = 0; c < half.dofs(); ++c) {
      const int j = half.dof(c);
      for (int k = half.column_start()[c]; k < half.column_end(c); ++k) {
        const int i = half.dof(half.row()[k]);
        grad_c_[i] -= half_values_[k] * d[j];
        if (i != j) grad_c_[j] -= half_values_[k] * d[i];
      }
    }
    grad_c_ /= square;  // (2)
  }
  const double weight = 0.5 * problem_.h * problem_.h;
  pattern_.mirror(half_values_, values);
  for (double& v : values) v *= weight;
  for (const int k : pattern_.diagonal()) values[k] += weight * c_;
}

bool GlobalEquation::factorise(const Vector& d, SolverWork& work, NewtonTimes& times) {
  if (!DiscreteEquation::factorise(d, work, times)) return false;
  end_ = (0.5 * problem_.h * problem_.h) * d;
  solve_sparse(end_, response_);
  return std::abs(1 + grad_c_.dot(response_)) > kEpsilon;  // otherwise (3) is singular
}

void GlobalEquation::solve(const Vector& residual, Vector& direction) {
  solve_sparse(residual, direction);
  const double factor = grad_c_.dot(direction) / (1 + grad_c_.dot(response_));
  direction = factor * response_ - direction;  // (3)
}

double GlobalEquation::rounding(const Vector& d) {
  double bound = DiscreteEquation::rounding(d);
  // ½h² ε|E|/|d|, along d.
  if (c_ != 0) {
    bound += 4 * kEpsilon * 0.5 * problem_.h * problem_.h * std::abs(problem_.potential) * norm(d) /
             d.squaredNorm();
  }
  return bound;
}

DiscreteGradientIntegrator::DiscreteGradientIntegrator(const World& world,
                                                       const DiscreteGradientTable& table,
                                                       const SolverOptions& options)
    : system_(world.system),
      options_(options),
      assembler_(world),
      potential_(assembler_),
      pattern_(assembler_.hessian_pattern()),
      equation_(std::make_unique<GlobalEquation>(assembler_, pattern_, options)),
      root_(system_.dofs(), options.newton),
      x1_(system_.dofs()),
      v1_(system_.dofs()) {
  found_.resize(system_.dofs());
  if (table.predictor == DiscreteGradientTable::Predictor::avf) {
    predictor_ = make_predictor(world, options);
  }
}

NewtonTimes DiscreteGradientIntegrator::times() const {
  NewtonTimes sum = root_.times();
  if (predictor_) {
    sum += predictor_->times();
  }
  return sum;
}

void DiscreteGradientIntegrator::predict(const State& state, double h, StepReport& report) {
  found_.z = h * state.v;
  if (!predictor_) return;
  predicted_ = state;
  const StepReport work = predictor_->step(predicted_, h);
  report.solver_work += work.solver_work;
  // A path that ends in an inverted element is no start; the root find then has to do without.
  if (succeeded(work.status)) found_.z = predicted_.x - state.x;
}

StepReport DiscreteGradientIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  system_.embedding().restrict_velocity(state.v);
  assembler_.follow_stencils();
  if (!pattern_.is_current()) {
    pattern_ = FullPattern(assembler_.hessian_pattern());
    equation_ = std::make_unique<GlobalEquation>(assembler_, pattern_, options_);
  }
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  const double gravity = report.before.potential[static_cast<std::size_t>(EnergyKind::gravity)];
  equation_->prepare(state, h, span_of_step(state, h), report.before.scale(),
                     report.before.total - report.before.kinetic - gravity);
  // The predictor's iterations count towards the limit.
  const NewtonResult solved = root_.solve(
      *equation_, found_, options_.newton.max_iterations - report.solver_work.iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_->defect(found_).velocity;
  if (!succeeded(report.status)) return report;
  v1_ = (2 / h) * found_.z - state.v;
  x1_ = state.x + found_.z;
  commit(report, state, x1_, v1_, invariants(system_, x1_, v1_, potential_.values(x1_)),
         [&] { return account(state, h); });
  return report;
}

// With r the residual, M(v₁−v₀) = (2/h) r − h ∇̄E, and the kinetic energy changes by its product
// with the mean velocity. The part due to r is the solver's. The rest, E₁ − E₀ − ∇̄E·d, is what the
// discrete gradient leaves of its promise: rounding. External forces work.
StepAccount DiscreteGradientIntegrator::account(const State& start, double h) {
  const auto mean = 0.5 * (start.v + v1_);
  StepAccount account{.residual = (2 / h) * mean.dot(found_.residual),
                      .potential = -(2 / h) * mean.dot(found_.potential),
                      .averages_force = true};
  if (!system_.forces().empty()) account.force = h * mean.dot(found_.force);
  if (!system_.dissipations().empty()) {
    account.dissipation = h * mean.dot(found_.dissipation);
    account.driven = -h * equation_->driven_power(found_.z);
  }
  return account;
}

}  // namespace lilyan
