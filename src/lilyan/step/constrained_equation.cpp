#include "lilyan/step/constrained_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/solve/direction.hpp"
#include "lilyan/solve/timer.hpp"

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

ConstrainedEquation::ConstrainedEquation(StageWorkspace& work, const BlockPattern* pattern,
                                         Definiteness definiteness)
    : system_(work.system),
      work_(work),
      set_(system_),
      pattern_(pattern),
      definiteness_(definiteness),
      forced_(!system_.forces().empty()),
      n_(system_.dofs()),
      m_(set_.equations()) {
  normal_.lu = DenseLu(m_);
  linear_.lu = DenseLu(m_);
  for (auto* j : {&start_.jacobian, &end_.jacobian, &average_.directions, &average_.node}) {
    *j = set_.make_jacobian();
  }
  for (DenseMatrix* a : {&start_.gram, &end_.gram, &normal_.mix, &linear_.schur})
    a->setZero(m_, m_);
  linear_.columns.setZero(n_, m_);
  for (Vector* v : {&start_.values, &start_.scale, &normal_.speed, &normal_.right, &here_.g,
                    &here_.lambda, &here_.scratch}) {
    v->setZero(m_);
  }
  for (Vector* v :
       {&free_.plain_target, &free_.target, &normal_.impulse, &here_.x, &normal_.velocity,
        &linear_.diagonal, &here_.d, &here_.gradient, &here_.right, &here_.solution}) {
    v->setZero(n_);
  }
  here_.correction.setZero(n_ + m_);
  free_.part.resize(n_);
  make_matrix();
}

void ConstrainedEquation::make_matrix() {
  if (!pattern_ || linear_.version == pattern_->version()) return;
  linear_.version = pattern_->version();
  linear_.cholesky = make_cholesky(*pattern_);
  linear_.hessian.assign(static_cast<std::size_t>(pattern_->storage()), 0.0);
  linear_.right.setZero(pattern_->dofs());
  linear_.solution.setZero(pattern_->dofs());
}

bool ConstrainedEquation::begin(const Vector& x0) {
  set_.evaluate(x0, start_.values, start_.jacobian);
  set_.scales(x0, start_.scale);
  set_.gram(start_.jacobian, start_.jacobian, start_.gram);
  return start_.factor.factorise(start_.gram);
}

void ConstrainedEquation::prepare(const Problem& problem, const Vector& d, Vector& z) {
  make_matrix();
  problem_ = problem;
  linear_.factorised = false;
  normal_.speed.setZero();
  normal_.impulse.setZero();
  free_.plain_target = *problem.free.target;
  free_.target = free_.plain_target;
  problem_.free.target = &free_.target;
  free_.equation.emplace(work_, problem_.free);
  if (work_.forced()) free_.forces.force.setZero(n_);
  z.resize(n_ + m_);
  z.head(n_) = d;
  z.tail(m_).setZero();
  if (!linearise(d)) pull_back(z, 0);
}

bool ConstrainedEquation::linearise(const Vector& d) {
  end_.reach = d.cwiseAbs().maxCoeff();
  linear_.new_columns = linear_.new_columns || averaged();
  here_.x = *problem_.free.x0 + d;
  set_.evaluate(here_.x, here_.scratch, end_.jacobian);
  if (averaged()) {
    std::ranges::fill(average_.directions, 0.0);
    for (const auto& [c, b] : problem_.average) {
      here_.x = *problem_.free.x0 + c * d;
      set_.evaluate(here_.x, here_.scratch, average_.node);
      for (std::size_t i = 0; i < average_.directions.size(); ++i)
        average_.directions[i] += b * average_.node[i];
    }
    if (!find_normal_speed(d)) return false;
    free_.target = free_.plain_target;
    system_.mass().add_solved(problem_.free.h, normal_.impulse, free_.target);
  }
  free_.equation->linearise(d, free_.forces);
  return true;
}

// With v₁ = 2u − v₀ − N₀ν before its normal part is taken out, N₁ᵀM v₁ = ν is
//   (1 + L₁⁻¹ G₁M⁻¹G₀ᵀ L₀⁻ᵀ) ν = L₁⁻¹G₁ (2u − v₀),
// a matrix near 2.
bool ConstrainedEquation::find_normal_speed(const Vector& d) {
  set_.gram(end_.jacobian, end_.jacobian, end_.gram);
  if (!end_.factor.factorise(end_.gram)) return false;
  set_.gram(start_.jacobian, end_.jacobian, normal_.mix);  // its transpose is G₁M⁻¹G₀ᵀ
  for (int k = 0; k < m_; ++k) start_.factor.solve_lower(normal_.mix.col(k));
  normal_.mix.transposeInPlace();
  for (int k = 0; k < m_; ++k) {
    end_.factor.solve_lower(normal_.mix.col(k));
    normal_.mix(k, k) += 1;
  }
  normal_.velocity = 2 * d / problem_.free.h - *problem_.v0;
  set_.apply(end_.jacobian, normal_.velocity, normal_.right);
  end_.factor.solve_lower(normal_.right);
  normal_.lu.compute(normal_.mix);
  normal_.lu.solve(normal_.right, normal_.speed);
  if (!normal_.speed.allFinite()) return false;
  normal_.right = normal_.speed;
  start_.factor.solve_upper(normal_.right);
  normal_.impulse.setZero();
  set_.add_transposed(start_.jacobian, normal_.right, 1, normal_.impulse);
  return true;
}

// The norm is √(‖residual‖² + |g|²), both as displacements in the norm of M.
void ConstrainedEquation::evaluate(Iterate& at) {
  here_.d = at.z.head(n_);
  here_.lambda = at.z.tail(m_);
  here_.x = *problem_.free.x0 + here_.d;
  set_.values(here_.x, here_.g);
  free_.part.z = here_.d;
  free_.equation->evaluate(free_.forces, free_.part);
  at.value = free_.part.value;
  at.terms = free_.part.terms;
  at.potential.swap(free_.part.potential);
  at.dissipation.swap(free_.part.dissipation);
  here_.gradient = free_.part.residual;
  set_.add_transposed(directions(), here_.lambda, -1, here_.gradient);
  at.residual.resize(n_ + m_);
  at.residual.head(n_) = here_.gradient;
  at.residual.tail(m_) = here_.g;
  const bool defined = std::isfinite(at.value) && here_.g.allFinite();
  at.norm = defined ? std::hypot(free_.equation->norm(here_.gradient), distance(here_.g))
                    : std::numeric_limits<double>::infinity();
}

Equation::Arrival ConstrainedEquation::arrive(const Vector& z) {
  here_.d = z.head(n_);
  if (!linearise(here_.d)) {
    singular_ = StepStatus::singular_constraints;
    return Arrival::singular;
  }
  return averaged() || forced_ ? Arrival::changed : Arrival::same;
}

Defect ConstrainedEquation::defect(const Iterate& at) {
  here_.d = at.z.head(n_);
  here_.gradient = at.residual.head(n_);
  return free_.equation->defect(here_.d, here_.gradient);
}

std::optional<StepStatus> ConstrainedEquation::judge(const Iterate& at, const Step& last) {
  const double error = defect(at).share / last.slack;
  here_.g = at.residual.tail(m_);
  good_ = error <= 1 && closed(here_.g, kClosed);
  if (good_ && (last.stalled() || error <= (averaged() ? kAveragedTarget : 1))) {
    return StepStatus::converged;
  }
  if (last.stalled() && at_rounding(at)) return StepStatus::round_off;
  return {};
}

std::optional<StepStatus> ConstrainedEquation::judge_stuck(const Iterate& at) {
  if (good_) return StepStatus::converged;
  return Equation::judge_stuck(at);
}

bool ConstrainedEquation::at_rounding(const Iterate& at) {
  here_.d = at.z.head(n_);
  here_.lambda = at.z.tail(m_);
  here_.gradient = at.residual.head(n_);
  here_.g = at.residual.tail(m_);
  return at_rounding(here_.d, here_.g, here_.gradient, here_.lambda);
}

bool ConstrainedEquation::at_rounding(const Vector& d, const Vector& g, const Vector& residual,
                                      const Vector& lambda) {
  if (!closed(g, kNearlyClosed)) return false;
  here_.right.setZero();
  set_.add_transposed(directions(), lambda, 1, here_.right);
  const double push = 8 * kEpsilon * free_.equation->norm(here_.right);
  // Constraints are closed to the rounding errors of positions, which are no displacement to speak of.
  here_.right.setZero();
  for (const auto& c : system_.constraints()) {
    for (const int i : c->dofs()) {
      here_.right[i] =
          4 * kEpsilon * linear_.diagonal[i] * (std::abs((*problem_.free.x0)[i]) + std::abs(d[i]));
    }
  }
  const double closing = free_.equation->norm(here_.right);
  return free_.equation->norm(residual) <=
         free_.equation->rounding(d, 0, linear_.diagonal).gradient + push + closing;
}

// (As in Newton's method for free steps: a stiff body hardly gives way to impulses that rounding errors leave.)
bool ConstrainedEquation::rounding_is_harmless(const Iterate& at) {
  here_.d = at.z.head(n_);
  here_.gradient = at.residual.head(n_);
  if (free_.equation->rounding_is_harmless(here_.d, here_.gradient)) return true;
  if (!linear_.factorised) return false;
  solve(at.residual, here_.correction);
  system_.mass().apply(here_.correction.head(n_), here_.gradient);
  return free_.equation->rounding_is_harmless(here_.d, here_.gradient);
}

double ConstrainedEquation::norm(const Vector& residual) {
  here_.gradient = residual.head(n_);
  here_.g = residual.tail(m_);
  return std::hypot(free_.equation->norm(here_.gradient), distance(here_.g));
}

// The terms of g at the start, which at the origin may vanish, and those that the displacement adds: it is known to
// the rounding errors of a linear solution, relative to the largest of its entries.
double ConstrainedEquation::closing_scale(int k) const {
  return start_.scale[k] + set_.row_norm(start_.jacobian, k) * end_.reach;
}

double ConstrainedEquation::gap(const Vector& residual) const {
  double most = 0;
  for (int k = 0; k < m_; ++k) {
    most = std::max(most, std::abs(residual[n_ + k]) / (kEpsilon * closing_scale(k)));
  }
  return most;
}

double ConstrainedEquation::distance(const Vector& g) {
  here_.scratch = g;
  start_.factor.solve_lower(here_.scratch);
  return here_.scratch.norm();
}

bool ConstrainedEquation::closed(const Vector& g, double factor) const {
  for (Eigen::Index k = 0; k < g.size(); ++k) {
    if (!(std::abs(g[k]) <= factor * kEpsilon * closing_scale(static_cast<int>(k)))) return false;
  }
  return true;
}

bool ConstrainedEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& times) {
  linear_.new_columns = true;
  if (!pattern_) {
    linear_.diagonal = system_.mass().diagonal();
    free_.equation->add_damping(free_.forces, linear_.diagonal);
    linear_.factorised = true;
    return true;
  }
  here_.d = z.head(n_);
  singular_ = StepStatus::not_definite;
  const bool done =
      factorise_definite({*free_.equation, free_.forces, here_.d}, *pattern_, definiteness_,
                         *linear_.cholesky, linear_.hessian, work, times);
  for (int c = 0; c < pattern_->dofs(); ++c) {
    linear_.diagonal[pattern_->dof(c)] = linear_.hessian[pattern_->column_start()[c]];
  }
  linear_.factorised = done;
  return done;
}

void ConstrainedEquation::solve_hessian(const Vector& right, Vector& solution) {
  if (!pattern_) {
    solution.array() = right.array() / linear_.diagonal.array();
    return;
  }
  for (int c = 0; c < pattern_->dofs(); ++c) linear_.right[c] = right[pattern_->dof(c)];
  linear_.cholesky->solve(linear_.right, linear_.solution);
  solution.setZero();
  for (int c = 0; c < pattern_->dofs(); ++c) solution[pattern_->dof(c)] = linear_.solution[c];
}

// (4)
void ConstrainedEquation::solve(const Vector& residual, Vector& direction) {
  singular_ = StepStatus::singular_constraints;
  for (int k = 0; k < m_; ++k) {
    if (linear_.new_columns) {
      set_.column(directions(), k, here_.right);
      solve_hessian(here_.right, here_.solution);
      linear_.columns.col(k) = here_.solution;
    } else {
      here_.solution = linear_.columns.col(k);
    }
    set_.apply(end_.jacobian, here_.solution, here_.scratch);
    linear_.schur.col(k) = here_.scratch;
  }
  linear_.new_columns = false;
  linear_.lu.compute(linear_.schur);
  here_.right = residual.head(n_);
  solve_hessian(here_.right, here_.solution);
  set_.apply(end_.jacobian, here_.solution, here_.scratch);
  here_.scratch -= residual.tail(m_);
  linear_.lu.solve(here_.scratch, here_.lambda);
  here_.solution = -here_.solution;
  for (int k = 0; k < m_; ++k) here_.solution += here_.lambda[k] * linear_.columns.col(k);
  direction.head(n_) = here_.solution;
  direction.tail(m_) = here_.lambda;
}

void ConstrainedEquation::move(const Vector& z, double length, const Vector& direction,
                               Vector& trial) const {
  trial.head(n_) = z.head(n_) + length * direction.head(n_);
  trial.tail(m_) = z.tail(m_) + direction.tail(m_);
}

void ConstrainedEquation::pull_back(Vector& z, double factor) const {
  system_.embedding().scale_free(factor, z.head(n_));
}

MeritFunction::Slope ConstrainedEquation::begin_search(const Iterate& at, const Vector& direction) {
  here_.d = at.z.head(n_);
  here_.g = at.residual.tail(m_);
  here_.solution = direction.head(n_);
  // The gradient with the new multipliers, which is −H δ. Where it is rounding error, d is right
  // already and only the multipliers are not, as in a body at rest: δ is noise, and so are the
  // slope and its sign.
  here_.gradient = at.residual.head(n_);
  here_.lambda = direction.tail(m_);
  set_.add_transposed(directions(), here_.lambda, -1, here_.gradient);
  here_.lambda = at.z.tail(m_) + direction.tail(m_);
  here_.scratch = here_.lambda;
  start_.factor.multiply_upper(here_.scratch);
  search_.weight = here_.scratch.norm();
  search_.start_distance = distance(here_.g);
  set_.apply(directions(), here_.solution, here_.scratch);
  search_.push = here_.lambda.dot(here_.scratch);
  return {.value = here_.gradient.dot(here_.solution) - search_.weight * search_.start_distance,
          .noise = at_rounding(here_.d, here_.g, here_.gradient, here_.lambda)};
}

// (5)
double ConstrainedEquation::change(double length, const Iterate& at, const Iterate& trial) {
  here_.g = trial.residual.tail(m_);
  return (trial.value - at.value) - length * search_.push +
         search_.weight * (distance(here_.g) - search_.start_distance);
}

// Positions are absolute in g: its rounding errors enter (5) with their weight, beside those of Φ.
double ConstrainedEquation::rounding(const Iterate& at, const Iterate& trial) {
  here_.d = at.z.head(n_);
  for (int k = 0; k < m_; ++k) here_.g[k] = kNearlyClosed * kEpsilon * closing_scale(k);
  return free_.equation->rounding(here_.d, trial.terms, linear_.diagonal).value +
         search_.weight * distance(here_.g) + 8 * kEpsilon * std::abs(search_.push);
}

// C and ν are those of z itself, so that the residual is, too.
bool ConstrainedMomentumEquation::evaluate(Iterate& at) {
  if (!at.z.allFinite() || equation_.arrive(at.z) == Equation::Arrival::singular) return false;
  equation_.evaluate(at);
  return std::isfinite(at.norm);
}

bool ConstrainedMomentumEquation::closed(const Iterate& at) const {
  return equation_.gap(at.residual) <= kNearlyClosed;
}

Defect ConstrainedMomentumEquation::defect(const Iterate& at) {
  const Defect free = equation_.defect(at);
  return {.share = larger(free.share, equation_.gap(at.residual) / kClosed),
          .velocity = closed(at) ? free.velocity : std::numeric_limits<double>::infinity()};
}

bool ConstrainedMomentumEquation::solve(const Iterate& at, const Newton::Correction& request,
                                        Vector& direction, SolverWork& work) {
  if ((request.renew || !equation_.factorised()) && !equation_.factorise(at.z, work, times_)) {
    return false;
  }
  const Timer timer(times_.counter(&NewtonTimes::solve));
  equation_.solve(at.residual, direction);
  return direction.allFinite();
}

void ConstrainedMomentumEquation::add_constraints(const Vector& z, Vector& sum) {
  multipliers_ = z.tail(equation_.set().equations());
  equation_.set().add_transposed(equation_.directions(), multipliers_, -1, sum);
}

}  // namespace lilyan
