#include "lilyan/integrate/control/step_control.hpp"

#include <fmt/format.h>

#include "lilyan/core/error.hpp"
#include "lilyan/integrate/control/error_control.hpp"
#include "lilyan/integrate/control/reversible_control.hpp"

namespace lilyan {
namespace {

// Sums of steps miss their end by rounding; a part of a step this small is not a step.
constexpr double kRounding = 1e-9;

class FixedSteps final : public StepControl {
 public:
  FixedSteps(Integrator& integrator, const StepControlOptions& options)
      : integrator_(integrator), h_(options.step), max_halvings_(options.max_halvings) {}

  StepReport step(State& state, double until) override {
    const double left = until - state.t;
    // Not shortened by rounding errors of t, so that all steps of a run are equal to the last bit.
    return advance(integrator_, state, left < h_ * (1 - kRounding) ? left : h_, max_halvings_);
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

double fit_step(double h, double left) {
  if (left <= h * (1 + kRounding)) return left;
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
