#include "lilyan/integrate/constrained/kkt_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/fixed.hpp"
#include "lilyan/solve/definite.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {
namespace {

// As in solve/newton.cpp, which gives the reasons.
constexpr double kArmijo = 1e-4;
constexpr int kMaxTrials = 60;
constexpr double kReuseContraction = 0.2;
// |g| in units of the rounding error of its terms: to be reached, and to be content with.
constexpr double kClosed = 4;
constexpr double kNearlyClosed = 64;
// Averaged directions and normal speeds are taken from the last iterate, so convergence is linear,
// and what is left at the tolerance has the same sign in step after step. One iteration more, as a
// rule, brings that below rounding, where Newton's method for free steps gets on its own.
constexpr double kAveragedTarget = 0.01;

}  // namespace

KktNewton::KktNewton(const System& system, int equations, const BlockPattern* pattern,
                     const NewtonOptions& options)
    : pattern_(pattern), options_(options), lu_(equations) {
  if (pattern_) {
    linear_ = make_cholesky(*pattern_);
    hessian_.resize(static_cast<std::size_t>(pattern_->storage()));
    free_right_.setZero(pattern_->dofs());
    free_solution_.setZero(pattern_->dofs());
  }
  const int n = system.dofs();
  columns_.setZero(n, equations);
  schur_.setZero(equations, equations);
  for (Vector* v :
       {&gradient_, &residual_, &trial_gradient_, &trial_, &direction_, &diagonal_, &right_}) {
    v->setZero(n);
  }
  for (Vector* v : {&lambda_, &new_lambda_, &change_, &g_, &trial_g_, &scratch_g_}) {
    v->setZero(equations);
  }
}

double KktNewton::evaluate(ConstrainedObjective& objective, const Vector& d, Vector& gradient,
                           Vector& g, NewtonResult& result) {
  const Timer timer(times_.evaluation);
  ++result.evaluations;
  return objective.evaluate(d, gradient, g);
}

bool KktNewton::start(ConstrainedObjective& objective, Vector& d, NewtonResult& result) {
  // Pulled back towards the start of the step while that lowers Φ, as in solve/newton.cpp.
  const System& system = objective.system();
  if (!objective.linearise(d)) scale_free(system, 0, d);
  phi_ = evaluate(objective, d, gradient_, g_, result);
  for (int k = 0; k < kMaxTrials; ++k) {
    trial_ = d;
    scale_free(system, k + 1 < kMaxTrials ? 0.5 : 0.0, trial_);
    const double trial_phi = evaluate(objective, trial_, trial_gradient_, trial_g_, result);
    if (std::isfinite(phi_) && !(trial_phi < phi_)) break;
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    g_.swap(trial_g_);
    phi_ = trial_phi;
  }
  lambda_.setZero();
  return std::isfinite(phi_);
}

bool KktNewton::arrive(ConstrainedObjective& objective, const Vector& d, NewtonResult& result) {
  if (!objective.linearise(d)) return false;
  if (objective.moves()) phi_ = evaluate(objective, d, gradient_, g_, result);
  residual_ = gradient_;
  objective.set().add_transposed(objective.directions(), lambda_, -1, residual_);
  norm_ = norm(objective, objective.free().norm(residual_), g_);
  return true;
}

NewtonResult KktNewton::solve(ConstrainedObjective& objective, Vector& d) {
  NewtonResult result;
  const auto end = [&](StepStatus status) {
    result.status = status;
    return result;
  };
  if (!start(objective, d, result)) return end(StepStatus::non_finite);
  if (!arrive(objective, d, result)) return end(StepStatus::singular_constraints);
  const double target = objective.averaged() ? kAveragedTarget : 1;
  bool stalled = false;  // the last step hardly shrank the residual
  bool reuse = false;    // the factor at hand is good enough for the next direction
  while (true) {
    const double defect = objective.free().defect(d, residual_);
    const bool good = defect <= 1 && objective.closed(g_, kClosed);
    if (good && (defect <= target || stalled)) return end(StepStatus::converged);
    if (options_.stop_asked()) return end(StepStatus::stopped);
    if (result.iterations == options_.max_iterations) {
      return end(good ? StepStatus::converged : StepStatus::not_converged);
    }
    if (stalled && at_rounding(objective, d, residual_, lambda_)) return end(StepStatus::round_off);
    const bool fresh = !reuse;
    if (fresh && !factorise(objective, d, result)) return end(StepStatus::not_definite);
    if (!find_direction(objective, fresh || objective.averaged())) {
      return end(StepStatus::singular_constraints);
    }
    ++result.iterations;
    const double length = search(objective, d, result);
    if (length == 0) {
      if (good) return end(StepStatus::converged);
      if (at_rounding(objective, d, residual_, lambda_)) return end(StepStatus::round_off);
      if (fresh) return end(StepStatus::no_descent);
      reuse = false;  // an old factor may be to blame
      continue;
    }
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    g_.swap(trial_g_);
    lambda_.swap(new_lambda_);
    const double old_norm = norm_;
    if (!arrive(objective, d, result)) return end(StepStatus::singular_constraints);
    reuse = options_.reuse_factor && length == 1 && norm_ <= kReuseContraction * old_norm;
    stalled = norm_ > 0.5 * old_norm;
  }
}

bool KktNewton::find_direction(ConstrainedObjective& objective, bool new_columns) {
  const Timer timer(times_.solve);
  const ConstraintSet& set = objective.set();
  const int m = set.equations();
  for (int k = 0; k < m; ++k) {
    if (new_columns) {
      set.column(objective.directions(), k, right_);
      solve_hessian(right_, trial_);
      columns_.col(k) = trial_;
    } else {
      trial_ = columns_.col(k);
    }
    set.apply(objective.jacobian(), trial_, scratch_g_);
    schur_.col(k) = scratch_g_;
  }
  lu_.compute(schur_);
  solve_hessian(residual_, direction_);
  set.apply(objective.jacobian(), direction_, scratch_g_);
  scratch_g_ -= g_;
  change_ = lu_.solve(scratch_g_);
  direction_ = -direction_;
  for (int k = 0; k < m; ++k) direction_ += change_[k] * columns_.col(k);
  new_lambda_ = lambda_ + change_;
  return direction_.allFinite() && new_lambda_.allFinite();
}

double KktNewton::search(ConstrainedObjective& objective, const Vector& d, NewtonResult& result) {
  const ConstraintSet& set = objective.set();
  const auto apart = [&](const Vector& g) {
    scratch_g_ = g;
    return objective.distance(scratch_g_);
  };
  // Weight of |g| beside Φ: the size of the multipliers.
  scratch_g_ = new_lambda_;
  objective.multiply_upper(scratch_g_);
  const double weight = scratch_g_.norm();
  const double g_start = apart(g_);
  // Slope of Φ − λ₊ᵀC d: the gradient with the new multipliers.
  right_ = residual_;
  set.add_transposed(objective.directions(), change_, -1, right_);
  const double smooth_slope = right_.dot(direction_);
  const double slope = smooth_slope - weight * g_start;
  set.apply(objective.directions(), direction_, scratch_g_);
  const double push = new_lambda_.dot(scratch_g_);  // λ₊ᵀC δ
  // H δ is minus that gradient. Where it is rounding error, d is right already and only the
  // multipliers are not, as in a body at rest: δ is noise, and so are the slope and its sign.
  const bool settled = at_rounding(objective, d, right_, new_lambda_);
  const auto shrinks = [&] {
    right_ = trial_gradient_;
    set.add_transposed(objective.directions(), new_lambda_, -1, right_);
    return norm(objective, objective.free().norm(right_), trial_g_) < norm_;
  };
  if (!(slope < 0) && !settled) return 0;

  Objective::Rounding rounding;  // computed when first needed
  double length = 1;
  for (int k = 0; k < kMaxTrials; ++k) {
    trial_ = d + length * direction_;
    const double trial_phi = evaluate(objective, trial_, trial_gradient_, trial_g_, result);
    const bool finite = std::isfinite(trial_phi) && trial_g_.allFinite();
    const double change =
        finite ? trial_phi - phi_ - length * push + weight * (apart(trial_g_) - g_start) : 0.0;
    const bool descends = slope < 0 && change <= kArmijo * length * slope;
    if (finite && (descends || (settled && k == 0 && shrinks()))) {
      phi_ = trial_phi;
      return length;
    }
    if (!(slope < 0)) return 0;
    if (finite) {
      if (rounding.value == 0) rounding = objective.free().rounding(d, diagonal_);
      if (-length * slope <= rounding.value && change <= rounding.value) {
        // Values say nothing any more; the equations' residual must shrink.
        if (!shrinks()) return 0;
        phi_ = trial_phi;
        return length;
      }
    }
    const double shrink = finite ? -slope * length / (2 * (change - slope * length)) : 0.5;
    length *= std::clamp(shrink, 0.1, 0.5);
  }
  return 0;
}

double KktNewton::norm(const ConstrainedObjective& objective, double residual_norm,
                       const Vector& g) {
  scratch_g_ = g;
  return std::hypot(residual_norm, objective.distance(scratch_g_));
}

bool KktNewton::at_rounding(ConstrainedObjective& objective, const Vector& d,
                            const Vector& residual, const Vector& lambda) {
  if (!objective.closed(g_, kNearlyClosed)) return false;
  const StepObjective& free = objective.free();
  trial_.setZero();
  objective.set().add_transposed(objective.directions(), lambda, 1, trial_);
  const double push = 8 * std::numeric_limits<double>::epsilon() * free.norm(trial_);
  return free.norm(residual) <= free.rounding(d, diagonal_).gradient + push;
}

void KktNewton::solve_hessian(const Vector& right, Vector& solution) {
  if (!pattern_) {
    solution.array() = right.array() / diagonal_.array();
    return;
  }
  for (int c = 0; c < pattern_->dofs(); ++c) free_right_[c] = right[pattern_->dof(c)];
  linear_->solve(free_right_, free_solution_);
  solution.setZero();
  for (int c = 0; c < pattern_->dofs(); ++c) solution[pattern_->dof(c)] = free_solution_[c];
}

bool KktNewton::factorise(ConstrainedObjective& objective, const Vector& d, NewtonResult& result) {
  if (!pattern_) {
    objective.diagonal(diagonal_);
    return true;
  }
  const bool done = factorise_definite(objective.free(), d, *pattern_, options_.definiteness,
                                       *linear_, hessian_, result, times_);
  for (int c = 0; c < pattern_->dofs(); ++c) {
    diagonal_[pattern_->dof(c)] = hessian_[pattern_->column_start()[c]];
  }
  return done;
}

}  // namespace lilyan
