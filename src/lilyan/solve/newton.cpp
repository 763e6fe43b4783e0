#include "lilyan/solve/newton.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/solve/definite_factor.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {
namespace {

constexpr double kArmijo = 1e-4;           // share of the predicted decrease a step must reach
constexpr int kMaxTrials = 60;             // halvings of the step length
constexpr double kReuseContraction = 0.2;  // keep the factor while a full step shrinks ‖r‖ by this

}  // namespace

std::string_view name(Definiteness definiteness) {
  return definiteness == Definiteness::project ? "project" : "shift";
}

Newton::Newton(const BlockPattern& pattern, const NewtonOptions& options)
    : pattern_(pattern),
      options_(options),
      linear_(make_cholesky(pattern)),
      hessian_(pattern.storage()),
      free_right_(pattern.dofs()),
      free_solution_(pattern.dofs()) {
  const auto all = static_cast<Eigen::Index>(pattern.dimension() * pattern.free_index().size());
  for (Vector* v : {&gradient_, &trial_gradient_, &trial_, &direction_, &diagonal_})
    v->setZero(all);
}

NewtonResult Newton::minimise(Objective& objective, Vector& d) {
  NewtonResult result;
  const auto evaluate = [&](const Vector& at, Vector& gradient) {
    const Timer timer(times_.evaluation);
    ++result.evaluations;
    return objective.evaluate(at, gradient);
  };

  // The guess is pulled back towards d = 0, the start of the step, while that lowers Φ: constant
  // velocity overshoots by far where the motion is stiff, and may invert elements, where Φ is
  // infinite. This halves the iterations of a lively body and costs one evaluation otherwise.
  objective.linearise(d);
  double phi = evaluate(d, gradient_);
  for (int k = 0; k < kMaxTrials; ++k) {
    // (Prescribed displacements of fixed vertices are not a guess.)
    trial_ = d;
    const double share = k + 1 < kMaxTrials ? 0.5 : 0.0;
    for (int c = 0; c < pattern_.dofs(); ++c) trial_[pattern_.dof(c)] *= share;
    const double trial_phi = evaluate(trial_, trial_gradient_);
    if (std::isfinite(phi) && !(trial_phi < phi)) break;
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    phi = trial_phi;
  }
  if (!std::isfinite(phi)) {
    result.status = StepStatus::non_finite;
    return result;
  }

  if (objective.linearise(d)) phi = evaluate(d, gradient_);
  double norm = objective.norm(gradient_);
  bool stalled = false;  // the last step hardly shrank the residual
  bool reuse = false;    // the factor at hand is good enough for the next direction
  while (objective.defect(d, gradient_) > 1) {
    if (result.iterations == options_.max_iterations) {
      result.status = StepStatus::not_converged;
      return result;
    }
    if (stalled && at_rounding(objective, d, norm)) {
      result.status = StepStatus::round_off;
      return result;
    }
    const bool fresh = !reuse;
    if (fresh && !factorise_definite(objective, d, pattern_, options_.definiteness, *linear_,
                                     hessian_, result, times_)) {
      result.status = StepStatus::not_definite;
      return result;
    }
    solve_direction();
    ++result.iterations;

    // Backtracking on Φ. Where the predicted decrease drowns in the rounding error of Φ, the slope
    // at the trial point decides instead: by the trapezoidal rule Φ changes by the mean of both
    // slopes (Hager, Zhang 2005: "approximate Wolfe"), and the residual must shrink.
    const double slope = gradient_.dot(direction_);
    double length = 1;
    bool accepted = false;
    Objective::Rounding rounding;  // computed when first needed
    for (int k = 0; k < kMaxTrials && slope < 0; ++k) {
      trial_ = d + length * direction_;
      const double trial_phi = evaluate(trial_, trial_gradient_);
      const double change = trial_phi - phi;
      const bool finite = std::isfinite(trial_phi);
      accepted = finite && change <= kArmijo * length * slope;
      if (finite && !accepted) {
        if (rounding.value == 0) {
          read_diagonal();
          rounding = objective.rounding(d, diagonal_);
        }
        if (-length * slope <= rounding.value && change <= rounding.value) {
          accepted = trial_gradient_.dot(direction_) <= (2 * kArmijo - 1) * slope &&
                     objective.norm(trial_gradient_) < norm;
          if (!accepted) break;
        }
      }
      if (accepted) {
        phi = trial_phi;
        break;
      }
      // Minimiser of the parabola through Φ(0), Φ'(0), Φ(length), kept within [0.1, 0.5]·length.
      const double shrink = finite ? -slope * length / (2 * (change - slope * length)) : 0.5;
      length *= std::clamp(shrink, 0.1, 0.5);
    }

    if (!accepted) {
      if (at_rounding(objective, d, norm)) {
        result.status = StepStatus::round_off;
        return result;
      }
      if (fresh) {
        result.status = StepStatus::no_descent;
        return result;
      }
      reuse = false;  // an old factor may be to blame
      continue;
    }
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    if (objective.linearise(d)) phi = evaluate(d, gradient_);
    const double new_norm = objective.norm(gradient_);
    reuse = options_.reuse_factor && length == 1 && new_norm <= kReuseContraction * norm;
    stalled = new_norm > 0.5 * norm;
    norm = new_norm;
  }
  return result;
}

void Newton::solve_direction() {
  const Timer timer(times_.solve);
  for (int c = 0; c < pattern_.dofs(); ++c) free_right_[c] = -gradient_[pattern_.dof(c)];
  linear_->solve(free_right_, free_solution_);
  for (int c = 0; c < pattern_.dofs(); ++c) direction_[pattern_.dof(c)] = free_solution_[c];
}

bool Newton::at_rounding(const Objective& objective, const Vector& d, double norm) {
  read_diagonal();
  return norm <= objective.rounding(d, diagonal_).gradient;
}

void Newton::read_diagonal() {
  for (int c = 0; c < pattern_.dofs(); ++c) {
    diagonal_[pattern_.dof(c)] = hessian_[pattern_.column_start()[c]];
  }
}

}  // namespace lilyan
