#include "lilyan/solve/root.hpp"

#include <cmath>
#include <utility>

#include "lilyan/solve/convergence.hpp"
#include "lilyan/solve/line_search.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {
namespace {

constexpr int kRootTrials = 60;     // shortenings of a step, and of a guess
constexpr double kRootReuse = 0.2;  // keep the factor while a full step shrinks ‖F‖ by this

}  // namespace

std::optional<StepStatus> Equation::judge(const Iterate& at, const Step& last) {
  if (!(defect(at).share > last.slack)) return StepStatus::converged;
  if (last.stalled() && at_rounding(at)) return StepStatus::round_off;
  return {};
}

std::optional<StepStatus> Equation::judge_stuck(const Iterate& at) {
  if (at_rounding(at)) return StepStatus::round_off;
  return {};
}

bool Equation::keeps_factors(const Step& last) const {
  return last.length == 1 && last.contraction <= kRootReuse;
}

RootFinder::RootFinder(Eigen::Index size, const NewtonOptions& options, bool timed)
    : options_(options) {
  times_.timed = timed;
  trial_.resize(size);
  direction_.setZero(size);
}

void RootFinder::evaluate(Equation& equation, Iterate& at, SolverWork& work) {
  const Timer timer(times_.counter(&NewtonTimes::evaluation));
  ++work.evaluations;
  equation.evaluate(at);
}

void RootFinder::start(Equation& equation, Iterate& at, SolverWork& work) {
  evaluate(equation, at, work);
  const bool has_merit = equation.merit() != nullptr;
  for (int k = 0; k < kRootTrials; ++k) {
    const bool defined = std::isfinite(at.norm);
    if (defined && !has_merit) return;
    trial_.z = at.z;
    equation.pull_back(trial_.z, k + 1 < kRootTrials ? 0.5 : 0.0);
    evaluate(equation, trial_, work);
    if (defined && !(trial_.value < at.value)) return;
    swap(at, trial_);
  }
}

bool RootFinder::arrive(Equation& equation, Iterate& at, SolverWork& work) {
  const Equation::Arrival arrival = equation.arrive(at.z);
  if (arrival == Equation::Arrival::changed) evaluate(equation, at, work);
  return arrival != Equation::Arrival::singular;
}

double RootFinder::find_step(Equation& equation, const Iterate& at, bool fresh, SolverWork& work) {
  const auto try_out = [&](Iterate& point) { evaluate(equation, point, work); };
  const RootSearch search{.equation = equation,
                          .at = at,
                          .direction = direction_,
                          .trials = fresh ? kRootTrials : 1,
                          .evaluate = try_out};
  MeritFunction* merit = equation.merit();
  return merit ? lower_merit(search, *merit, trial_) : lower_norm(search, trial_);
}

NewtonResult RootFinder::solve(Equation& equation, Iterate& at, long max_iterations, double slack) {
  SolverWork work;
  for (Vector* v : {&at.residual, &trial_.z, &trial_.residual, &direction_}) v->resize(at.z.size());
  const auto end = [&](StepStatus status) {
    const bool lost = status == StepStatus::round_off && !equation.rounding_is_harmless(at);
    return NewtonResult{lost ? StepStatus::drowned_in_rounding : status, work};
  };
  start(equation, at, work);
  if (!std::isfinite(at.norm)) return end(StepStatus::non_finite);
  if (!arrive(equation, at, work)) return end(equation.singular());
  Equation::Step last{.slack = slack};
  if (const auto verdict = equation.judge(at, last)) return end(*verdict);
  bool fresh = !(options_.reuse_factor && equation.keeps_factors(last));
  RootProgress progress(at.norm);
  while (true) {
    if (options_.stop_asked()) return end(StepStatus::stopped);
    if (work.iterations >= max_iterations) {
      return end(equation.judge_stuck(at).value_or(StepStatus::not_converged));
    }
    if (fresh && !equation.factorise(at.z, work, times_)) return end(equation.singular());
    {
      const Timer timer(times_.counter(&NewtonTimes::solve));
      equation.solve(at.residual, direction_);
    }
    ++work.iterations;
    if (!direction_.allFinite()) return end(equation.singular());
    last.length = find_step(equation, at, fresh, work);
    if (last.length == 0) {
      if (const auto verdict = equation.judge_stuck(at)) return end(*verdict);
      if (std::exchange(fresh, true)) return end(StepStatus::no_descent);
      continue;  // old factors may be to blame
    }
    const double norm = at.norm;
    swap(at, trial_);
    if (!arrive(equation, at, work)) return end(equation.singular());
    last.contraction = at.norm / norm;
    if (const auto verdict = equation.judge(at, last)) return end(*verdict);
    fresh = !(options_.reuse_factor && equation.keeps_factors(last));
    if (progress.creeps(at.norm) && !equation.merit()) {
      return end(equation.judge_stuck(at).value_or(StepStatus::no_descent));
    }
  }
}

}  // namespace lilyan
