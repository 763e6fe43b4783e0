#include "lilyan/control/step_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/base/error.hpp"
#include "lilyan/control/error_control.hpp"
#include "lilyan/control/reversible_control.hpp"

namespace lilyan {
namespace {

// Sums of steps miss their end by rounding; a part of a step this small is not a step.
constexpr double kTimeRounding = 1e-9;
// Steps may be longer than asked for by this part of themselves, rather than leave a tiny step behind.
constexpr double kStretch = 1e-6;

class FixedSteps final : public StepControl {
 public:
  FixedSteps(Integrator& integrator, const StepControlOptions& options)
      : integrator_(integrator), h_(options.step), max_halvings_(options.max_halvings) {}

  // Not shortened by rounding errors of t, so that all steps of a run that divide it are equal to the last bit.
  StepReport step(State& state, double until) override {
    const double left = until - state.t;
    const auto [count, equal] =
        count_steps(left, h_, 4 * kEpsilon * (std::abs(state.t) + std::abs(until)));
    const double h = equal || count > 2 ? h_ : left / count;
    const StepReport report = step_with_halving(integrator_, state, h, max_halvings_);
    if (succeeded(report.status) && count == 1) state.t = until;
    return report;
  }

  [[nodiscard]] std::string attempts() const override {
    return max_halvings_ > 0 ? fmt::format(", also when halved {} times", max_halvings_) : "";
  }

 private:
  Integrator& integrator_;
  double h_;
  int max_halvings_;
};

}  // namespace

std::string_view name(StepControlKind kind) {
  switch (kind) {
    case StepControlKind::fixed: return "fixed";
    case StepControlKind::error: return "error";
    case StepControlKind::reversible: return "reversible";
  }
  return "";
}

StepReport step_with_halving(Integrator& integrator, State& state, double h, int max_halvings) {
  StepReport whole = integrator.step(state, h);
  const bool may_retry = whole.status != StepStatus::stopped && max_halvings > 0;
  if (succeeded(whole.status) || !may_retry) return whole;

  const State start = state;
  StepReport halves = step_with_halving(integrator, state, h / 2, max_halvings - 1);
  if (succeeded(halves.status)) {
    halves.append(step_with_halving(integrator, state, h / 2, max_halvings - 1));
  }
  // The failed attempt's work counts too.
  halves.solver_work += whole.solver_work;
  if (!succeeded(halves.status)) {
    state = start;
    halves.h = h;
    halves.after = halves.before;
    halves.ledger = {};
  }
  return halves;
}

StepCount count_steps(double time, double h, double rounding) {
  const double steps = std::max(1.0, std::ceil(time / h - kStretch));
  return {steps, std::abs(time - steps * h) <= rounding};
}

double fit_step(double h, double left) {
  if (left <= h * (1 + kTimeRounding)) return left;
  return left < 2 * h ? left / 2 : h;
}

std::unique_ptr<StepControl> make_step_control(Integrator& integrator, const System& system,
                                               const Scheme& scheme,
                                               const StepControlOptions& options) {
  if (!(options.step > 0)) throw Error("a step must be positive");
  switch (options.kind) {
    case StepControlKind::error:
      return std::make_unique<ErrorControl>(integrator, system, scheme, options);
    case StepControlKind::reversible:
      if (!scheme.claims.symmetric) {
        throw Error("reversible steps need a symmetric method: no other retraces its own steps");
      }
      if (system.lagrangian()) {
        throw Error(
            "reversible steps follow the forces of a potential, which a general Lagrangian does "
            "not have; take equal steps or error control");
      }
      return std::make_unique<ReversibleControl>(integrator, system, options);
    case StepControlKind::fixed: break;
  }
  return std::make_unique<FixedSteps>(integrator, options);
}

}  // namespace lilyan
