#include "lilyan/solve/root.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lilyan {
namespace {

constexpr double kArmijo = 1e-4;  // share of the decrease of ‖F‖ that the linearisation promises
constexpr int kMaxTrials = 40;    // shortenings of the step
constexpr int kMaxPullBacks = 60;          // halvings of a guess where F is not defined
constexpr double kReuseContraction = 0.2;  // keep the factor while a full step shrinks ‖F‖ by this
// A root find that gets stuck does not stop: it creeps. It is given up when this many iterations
// together shrink ‖F‖ by less than a tenth.
constexpr int kPatience = 25;
constexpr double kProgress = 0.9;

template <class Action>
auto timed(double& seconds, const Action& action) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto result = action();
  seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace

RootFinder::RootFinder(Eigen::Index size, const NewtonOptions& options) : options_(options) {
  for (Vector* v : {&residual_, &trial_residual_, &trial_, &direction_}) v->setZero(size);
}

NewtonResult RootFinder::solve(Equation& equation, Vector& d, int max_iterations) {
  NewtonResult result;
  const auto evaluate = [&](const Vector& at, Vector& residual) {
    ++result.evaluations;
    return timed(times_.evaluation, [&] {
      equation.evaluate(at, residual);
      return equation.norm(residual);
    });
  };
  const auto finish = [&](StepStatus status) {
    result.status = status;
    return result;
  };

  double norm = evaluate(d, residual_);
  // d = 0, the start of a step, is always defined.
  for (int k = 0; k < kMaxPullBacks && !std::isfinite(norm); ++k) {
    equation.pull_back(d, k + 1 < kMaxPullBacks ? 0.5 : 0.0);
    norm = evaluate(d, residual_);
  }
  if (!std::isfinite(norm)) return finish(StepStatus::non_finite);

  bool stalled = false;  // the last step hardly shrank the residual
  bool reuse = false;    // the factor at hand is good enough for the next direction
  bool factored = false;
  double best = norm;  // at the last iteration that counted as progress
  int since = 0;       // iterations after it
  while (equation.defect(d, residual_) > 1) {
    if (options_.stop_asked()) return finish(StepStatus::stopped);
    if (result.iterations == max_iterations) return finish(StepStatus::not_converged);
    if (stalled && norm <= equation.rounding(d)) return finish(StepStatus::round_off);
    const bool fresh = !(reuse && factored);
    if (fresh) {
      ++result.factorisations;
      factored = timed(times_.factorisation, [&] { return equation.factorise(d); });
      if (!factored) return finish(StepStatus::no_descent);
    }
    timed(times_.solve, [&] {
      equation.solve(residual_, direction_);
      return 0;
    });
    ++result.iterations;

    // Backtracking on ‖F‖. The parabola of ‖F‖² has the slope −2‖F‖² at the start.
    double length = 1;
    double trial_norm = norm;
    bool accepted = false;
    for (int k = 0; k < (fresh ? kMaxTrials : 1) && !accepted; ++k) {
      trial_ = d + length * direction_;
      trial_norm = evaluate(trial_, trial_residual_);
      accepted = trial_norm <= (1 - kArmijo * length) * norm;
      if (accepted) break;
      // At the level of rounding errors shorter steps lead nowhere.
      if (norm <= equation.rounding(d)) break;
      const double ratio = trial_norm * trial_norm / (norm * norm);
      const double shrink = std::isfinite(ratio) ? length / (ratio - 1 + 2 * length) : 0.5;
      length *= std::clamp(shrink, 0.1, 0.5);
    }
    if (!accepted) {
      if (norm <= equation.rounding(d)) return finish(StepStatus::round_off);
      if (fresh) return finish(StepStatus::no_descent);
      reuse = false;  // an old factor may be to blame
      continue;
    }
    d.swap(trial_);
    residual_.swap(trial_residual_);
    reuse = options_.reuse_factor && length == 1 && trial_norm <= kReuseContraction * norm;
    stalled = trial_norm > 0.5 * norm;
    norm = trial_norm;
    ++since;
    if (norm <= kProgress * best) {
      best = norm;
      since = 0;
    } else if (since == kPatience) {
      return finish(norm <= equation.rounding(d) ? StepStatus::round_off : StepStatus::no_descent);
    }
  }
  return result;
}

}  // namespace lilyan
