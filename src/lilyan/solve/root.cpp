#include "lilyan/solve/root.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

constexpr double kRootArmijo = 1e-4;  // share of the decrease that the linearisation promises
constexpr int kRootTrials = 60;       // shortenings of a step, and of a guess
constexpr double kRootReuse = 0.2;    // keep the factor while a full step shrinks ‖F‖ by this
// A root find that gets stuck does not stop: it creeps. It is given up when this many iterations
// together shrink ‖F‖ by less than a tenth.
constexpr int kRootPatience = 25;
constexpr double kRootProgress = 0.9;

}  // namespace

std::optional<StepStatus> Equation::judge(const Vector& z, const Vector& residual,
                                          const Step& last) {
  if (!(defect(z, residual) > 1)) return StepStatus::converged;
  if (last.stalled() && at_rounding(z, residual)) return StepStatus::round_off;
  return {};
}

std::optional<StepStatus> Equation::judge_stuck(const Vector& z, const Vector& residual) {
  if (at_rounding(z, residual)) return StepStatus::round_off;
  return {};
}

bool Equation::keeps_factors(const Step& last) const {
  return last.length == 1 && last.contraction <= kRootReuse;
}

RootFinder::RootFinder(Eigen::Index size, const NewtonOptions& options, bool timed)
    : options_(options), timed_(timed) {
  for (Vector* v : {&residual_, &trial_residual_, &trial_, &direction_}) v->setZero(size);
}

Equation::Size RootFinder::evaluate(const Vector& z, Vector& residual) {
  const Timer timer(timed_ ? &times_.evaluation : nullptr);
  ++work_.evaluations;
  return equation_->evaluate(z, residual);
}

Equation::Size RootFinder::start(Vector& z) {
  Equation::Size size = evaluate(z, residual_);
  evaluated_here_ = true;
  const bool has_merit = equation_->merit() != nullptr;
  for (int k = 0; k < kRootTrials; ++k) {
    const bool defined = std::isfinite(size.norm);
    if (defined && !has_merit) break;
    trial_ = z;
    equation_->pull_back(trial_, k + 1 < kRootTrials ? 0.5 : 0.0);
    const Equation::Size trial = evaluate(trial_, trial_residual_);
    evaluated_here_ = !(defined && !(trial.value < size.value));
    if (!evaluated_here_) break;
    z.swap(trial_);
    residual_.swap(trial_residual_);
    size = trial;
  }
  return size;
}

bool RootFinder::arrive(const Vector& z, Equation::Size& size) {
  switch (equation_->arrive(z)) {
    case Equation::Arrival::same: break;
    case Equation::Arrival::changed:
      size = evaluate(z, residual_);
      evaluated_here_ = true;
      break;
    case Equation::Arrival::singular: return false;
  }
  return true;
}

NewtonResult RootFinder::solve(Equation& equation, Vector& z, long max_iterations) {
  equation_ = &equation;
  work_ = {};
  for (Vector* v : {&residual_, &trial_residual_, &trial_, &direction_}) v->resize(z.size());
  const auto finish = [&](StepStatus status) {
    if (status == StepStatus::round_off && !equation.rounding_is_harmless(z, residual_)) {
      status = StepStatus::drowned_in_rounding;
    }
    if (succeeded(status) && !evaluated_here_) evaluate(z, residual_);
    return NewtonResult{status, work_};
  };

  Equation::Size size = start(z);
  if (!std::isfinite(size.norm)) return finish(StepStatus::non_finite);
  if (!arrive(z, size)) return finish(equation.singular());
  Equation::Step last;
  if (const auto verdict = equation.judge(z, residual_, last)) return finish(*verdict);
  bool reuse = options_.reuse_factor && equation.keeps_factors(last);
  double best = size.norm;  // at the last iteration that counted as progress
  int since = 0;            // iterations after it
  while (true) {
    if (options_.stop_asked()) return finish(StepStatus::stopped);
    if (work_.iterations >= max_iterations) {
      return finish(equation.judge_stuck(z, residual_).value_or(StepStatus::not_converged));
    }
    const bool fresh = !reuse;
    if (fresh && !equation.factorise(z, work_, times_)) return finish(equation.singular());
    {
      const Timer timer(timed_ ? &times_.solve : nullptr);
      equation.solve(residual_, direction_);
    }
    ++work_.iterations;
    if (!direction_.allFinite()) return finish(equation.singular());

    Equation::Size trial;
    evaluated_here_ = false;
    last.length =
        equation.merit() ? search_merit(z, size, fresh, trial) : search(z, size, fresh, trial);
    if (last.length == 0) {
      if (const auto verdict = equation.judge_stuck(z, residual_)) return finish(*verdict);
      if (fresh) return finish(StepStatus::no_descent);
      reuse = false;  // an old factor may be to blame
      continue;
    }
    z.swap(trial_);
    residual_.swap(trial_residual_);
    evaluated_here_ = true;
    if (!arrive(z, trial)) return finish(equation.singular());
    last.contraction = trial.norm / size.norm;
    size = trial;
    if (const auto verdict = equation.judge(z, residual_, last)) return finish(*verdict);
    reuse = options_.reuse_factor && equation.keeps_factors(last);
    ++since;
    if (size.norm <= kRootProgress * best) {
      best = size.norm;
      since = 0;
    } else if (since == kRootPatience && !equation.merit()) {
      return finish(equation.judge_stuck(z, residual_).value_or(StepStatus::no_descent));
    }
  }
}

// Backtracking on ‖F‖. The parabola of ‖F‖² has the slope −2‖F‖² at the start.
double RootFinder::search(const Vector& z, const Equation::Size& size, bool fresh,
                          Equation::Size& trial) {
  double length = 1;
  for (int k = 0; k < (fresh ? kRootTrials : 1); ++k) {
    equation_->move(z, length, direction_, trial_);
    trial = evaluate(trial_, trial_residual_);
    if (trial.norm <= (1 - kRootArmijo * length) * size.norm) return length;
    // At the level of rounding errors shorter steps lead nowhere.
    if (equation_->judge_stuck(z, residual_)) return 0;
    const double ratio = trial.norm * trial.norm / (size.norm * size.norm);
    const double shrink = std::isfinite(ratio) ? length / (ratio - 1 + 2 * length) : 0.5;
    length *= std::clamp(shrink, 0.1, 0.5);
  }
  return 0;
}

// Backtracking on the merit function. Where its values are rounding errors ‖F‖ must shrink instead.
double RootFinder::search_merit(const Vector& z, const Equation::Size& size, bool fresh,
                                Equation::Size& trial) {
  MeritFunction& merit = *equation_->merit();
  const auto [slope, noise] = merit.begin_search(z, residual_, direction_);
  const bool falls = slope < 0;
  if (!falls && !noise) return 0;
  double rounding = 0;  // computed when first needed
  double length = 1;
  for (int k = 0; k < (fresh ? kRootTrials : 1); ++k) {
    equation_->move(z, length, direction_, trial_);
    trial = evaluate(trial_, trial_residual_);
    const bool finite = std::isfinite(trial.norm);
    const double change =
        finite ? merit.change(length, trial.value - size.value, trial_residual_) : 0.0;
    const bool descends = falls && change <= kRootArmijo * length * slope;
    if (finite && (descends || (noise && k == 0 && trial.norm < size.norm))) return length;
    if (!falls) return 0;
    if (finite) {
      if (rounding == 0) rounding = merit.rounding(z);
      if (-length * slope <= rounding && change <= rounding) {
        return trial.norm < size.norm ? length : 0;
      }
    }
    const double shrink = finite ? -slope * length / (2 * (change - slope * length)) : 0.5;
    length *= std::clamp(shrink, 0.1, 0.5);
  }
  return 0;
}

}  // namespace lilyan
