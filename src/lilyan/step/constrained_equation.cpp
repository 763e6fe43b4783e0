#include "lilyan/step/constrained_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// C and ν are those of z itself, so that the residual is, too.
bool ConstrainedMomentumEquation::evaluate(const Vector& z, Vector& residual) {
  if (!z.allFinite() || equation_.arrive(z) == Equation::Arrival::singular) return false;
  return std::isfinite(equation_.evaluate(z, residual).norm);
}

double ConstrainedMomentumEquation::defect(const Vector& z, const Vector& left) {
  const double velocity = equation_.defect(z, left);
  const double gap = equation_.gap(left);
  closed_ = gap <= kNearlyClosed;
  velocity_error_ = gap <= kNearlyClosed ? free_.relative_velocity_error()
                                         : std::numeric_limits<double>::infinity();
  return larger(velocity, gap / kClosed);
}

bool ConstrainedMomentumEquation::solve(const Vector& z, const Vector& left,
                                        const Newton::Correction& request, Vector& direction,
                                        SolverWork& work) {
  if ((request.renew || !equation_.factorised()) && !equation_.factorise(z, work, times_)) {
    return false;
  }
  const Timer timer(times_.solve);
  equation_.solve(left, direction);
  return direction.allFinite();
}

void ConstrainedMomentumEquation::add_constraints(const Vector& z, Vector& sum) {
  multipliers_ = z.tail(equation_.set().equations());
  equation_.set().add_transposed(equation_.directions(), multipliers_, -1, sum);
}

}  // namespace lilyan
