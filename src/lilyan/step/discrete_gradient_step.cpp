#include "lilyan/step/discrete_gradient_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/step_objective.hpp"

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
      drift_(system_.dofs()),
      lengths_(system_.dofs()),
      forces_(system_.dofs()),
      free_right_(pattern.dofs()),
      free_solution_(pattern.dofs()),
      lu_(make_lu()) {
  if (!dissipation_.empty()) {
    dissipated_.setZero(system_.dofs());
    dissipation_hessian_.resize(static_cast<std::size_t>(pattern.half().storage()));
  }
  if (!forced_ && dissipation_.empty()) return;
  for (Vector* v : {&external_, &damping_, &middle_x_, &middle_v_, &scratch_})
    v->setZero(system_.dofs());
}

void DiscreteEquation::prepare(const State& start, double h, const TimeSpan& span,
                               double energy_scale, double potential) {
  span_ = span;
  x0_ = &start.x;
  has_lengths_ = false;
  t_middle_ = start.t + h / 2;
  h_ = h;
  energy_scale_ = energy_scale;
  potential_ = potential;
  drift_ = h * start.v;
  dissipation_.begin_step(start, h);
}

void DiscreteEquation::go_to_middle(const Vector& d) {
  middle_x_ = *x0_ + 0.5 * d;
  middle_v_ = d / h_;
}

void DiscreteEquation::pull_back(Vector& d, double factor) const { scale_free(system_, factor, d); }

double DiscreteEquation::driven_power(const Vector& d) {
  middle_v_ = d / h_;
  return dissipation_.driven_power(DissipationVelocity::path, middle_v_);
}

Equation::Size DiscreteEquation::evaluate(const Vector& d, Vector& residual) {
  forces(d, forces_);
  residual.array() = mass_.array() * (d - drift_).array() + forces_.array();
  if (!dissipation_.empty()) {
    middle_v_ = d / h_;
    dissipated_.setZero();
    dissipation_.value_and_gradient(DissipationVelocity::path, middle_v_, -1, dissipated_);
    residual -= (0.5 * h_ * h_) * dissipated_;
  }
  if (forced_) {
    go_to_middle(d);
    external_.setZero();
    add_forces(system_, span_, t_middle_, middle_x_, middle_v_, 1, scratch_, external_);
    residual -= (0.5 * h_ * h_) * external_;
  }
  return {.norm = norm(residual)};
}

bool DiscreteEquation::factorise(const Vector& d, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.factorisation);
  ++work.factorisations;
  double* values = jacobian_.valuePtr();
  derivative(d, {values, static_cast<std::size_t>(pattern_.entries())});
  for (int c = 0; c < pattern_.dofs(); ++c) {
    values[pattern_.diagonal()[c]] += mass_[pattern_.half().dof(c)];
  }
  if (forced_) {
    go_to_middle(d);
    damping_.setZero();
    add_damping(system_, t_middle_, middle_x_, middle_v_, 0.5 * h_, scratch_, damping_);
    for (int c = 0; c < pattern_.dofs(); ++c) {
      values[pattern_.diagonal()[c]] += damping_[pattern_.half().dof(c)];
    }
  }
  if (!dissipation_.empty()) {
    middle_v_ = d / h_;
    std::ranges::fill(dissipation_hessian_, 0.0);
    dissipation_.add_hessian(DissipationVelocity::path, middle_v_, 0.5 * h_, 0, pattern_.half(),
                             dissipation_hessian_);
    pattern_.add_mirrored(dissipation_hessian_,
                          {values, static_cast<std::size_t>(pattern_.entries())});
  }
  return lu_->factorise(jacobian_);
}

void DiscreteEquation::solve_sparse(const Vector& right_side, Vector& solution) {
  for (int c = 0; c < pattern_.dofs(); ++c) free_right_[c] = right_side[pattern_.half().dof(c)];
  lu_->solve(free_right_, free_solution_);
  solution.setZero();
  for (int c = 0; c < pattern_.dofs(); ++c) solution[pattern_.half().dof(c)] = free_solution_[c];
}

void DiscreteEquation::solve(const Vector& residual, Vector& direction) {
  solve_sparse(residual, direction);
  direction = -direction;
}

double DiscreteEquation::norm(const Vector& residual) const {
  return std::sqrt((residual.array().square() / mass_.array()).sum());
}

// As StepObjective::defect: a residual r is the velocity error 2/h M⁻¹r and, through the mean
// velocity d/h, the energy error 2/h² d·r.
double DiscreteEquation::defect(const Vector& d, const Vector& residual) {
  const double kinetic = 0.5 * (mass_.array() * d.array().square()).sum() / (h_ * h_);
  const double scale = std::max(energy_scale_, kinetic);
  const double size = norm(residual);
  velocity_error_ = 0;
  if (size == 0) return 0;
  velocity_error_ = 2 / std::abs(h_) * size / std::sqrt(2 * scale);
  const double energy_error = 2 / (h_ * h_) * std::abs(d.dot(residual)) / scale;
  const double worst =
      std::max(energy_error / energy_tolerance_, velocity_error_ / velocity_tolerance_);
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

bool DiscreteEquation::at_rounding(const Vector& d, const Vector& residual) {
  return norm(residual) <= rounding(d);
}

bool DiscreteEquation::rounding_is_harmless(const Vector& d, const Vector& residual) {
  const double change = std::sqrt((mass_.array() * (d - drift_).array().square()).sum());
  return small_beside(system_, *x0_, norm(residual), change);
}

// The numbers that forces are computed from are known to a relative ε, which the Jacobian turns into an error of
// the residual.
double DiscreteEquation::rounding(const Vector& d) {
  if (!has_lengths_) sums_.lengths(*x0_, lengths_);
  has_lengths_ = true;
  double sum = 0;
  for (int c = 0; c < pattern_.dofs(); ++c) {
    const int i = pattern_.half().dof(c);
    const double error =
        jacobian_.valuePtr()[pattern_.diagonal()[c]] * (lengths_[i] + std::abs(d[i]));
    sum += error * error / mass_[i];
  }
  return 4 * kEpsilon * std::sqrt(sum);
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
  const double missing = end_energy - potential_ - work;
  const double size = std::abs(end_energy) + std::abs(potential_) + std::abs(work);
  if (std::abs(missing) <= 8 * kEpsilon * size || d.isZero(0)) return 0;
  return missing / d.squaredNorm();  // (1)
}

void GlobalEquation::forces(const Vector& d, Vector& forces) {
  assembler_.gradient(*x0_, &d, kMidpoint, middle_);
  forces = middle_;
  c_ = coefficient(sum_of(assembler_.values(*x0_, &d, kEndpoint, true)), d);
  forces += c_ * d;
  forces *= 0.5 * h_ * h_;
}

void GlobalEquation::derivative(const Vector& d, std::span<double> values) {
  assembler_.hessian(*x0_, d, kMidpoint, 0, half_values_);
  const BlockPattern& half = pattern_.half();
  // ∇c first, with the product ½∇²E(x½) d from the half matrix.
  grad_c_.setZero();
  assembler_.gradient(*x0_, &d, kMidpoint, middle_);
  c_ = coefficient(sum_of(assembler_.values_and_gradient(*x0_, &d, kEndpoint, end_, nullptr, true)),
                   d);
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
  const double weight = 0.5 * h_ * h_;
  pattern_.mirror(half_values_, values);
  for (double& v : values) v *= weight;
  for (const int k : pattern_.diagonal()) values[k] += weight * c_;
}

bool GlobalEquation::factorise(const Vector& d, SolverWork& work, NewtonTimes& times) {
  if (!DiscreteEquation::factorise(d, work, times)) return false;
  end_ = (0.5 * h_ * h_) * d;
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
    bound += 4 * kEpsilon * 0.5 * h_ * h_ * std::abs(potential_) * norm(d) / d.squaredNorm();
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
      d_(system_.dofs()),
      x1_(system_.dofs()),
      v1_(system_.dofs()) {
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
  d_ = h * state.v;
  if (!predictor_) return;
  predicted_ = state;
  const StepReport work = predictor_->step(predicted_, h);
  report.solver_work += work.solver_work;
  // A path that ends in an inverted element is no start; the root find then has to do without.
  if (succeeded(work.status)) d_ = predicted_.x - state.x;
}

StepReport DiscreteGradientIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  const double gravity = report.before.potential[static_cast<std::size_t>(EnergyKind::gravity)];
  equation_->prepare(state, h, span_of_step(state, h), report.before.scale(),
                     report.before.total - report.before.kinetic - gravity);
  // The predictor's iterations count towards the limit.
  const NewtonResult solved =
      root_.solve(*equation_, d_, options_.newton.max_iterations - report.solver_work.iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_->relative_velocity_error();
  if (!succeeded(report.status)) return report;
  v1_ = (2 / h) * d_ - state.v;
  x1_ = state.x + d_;
  commit(report, state, x1_, v1_, invariants(system_, x1_, v1_, potential_.values(x1_)),
         [&] { return account(state, h); });
  return report;
}

// With r the residual, M(v₁−v₀) = (2/h) r − h ∇̄E, and the kinetic energy changes by its product
// with the mean velocity. The part due to r is the solver's. The rest, E₁ − E₀ − ∇̄E·d, is what the
// discrete gradient leaves of its promise: rounding. External forces work.
StepAccount DiscreteGradientIntegrator::account(const State& start, double h) {
  const auto mean = 0.5 * (start.v + v1_);
  StepAccount account{.residual = (2 / h) * mean.dot(root_.residual()),
                      .potential = -(2 / h) * mean.dot(equation_->weighted_forces()),
                      .averages_force = true};
  if (!system_.forces().empty()) account.force = h * mean.dot(equation_->external_forces());
  if (!system_.dissipations().empty()) {
    account.dissipation = h * mean.dot(equation_->dissipation());
    account.driven = -h * equation_->driven_power(d_);
  }
  return account;
}

}  // namespace lilyan
