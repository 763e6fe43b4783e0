// How long the next step is: equal steps, steps to a tolerance, or steps by a reversible rule.
//
//   auto integrator = make_integrator(system, scheme, {});
//   auto control = make_step_control(*integrator, system, scheme,
//                                    {.kind = StepControlKind::error, .step = 0.01});
//   while (state.t < 10) {
//     StepReport report = control->step(state, 10);
//     if (!succeeded(report.status)) ...           // state is unchanged
//   }
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lilyan/control/make_integrator.hpp"

namespace lilyan {

enum class StepControlKind {
  fixed,       // equal steps
  error,       // steps as long as an error estimate allows (error_control.hpp)
  reversible,  // steps by a rule that can be run backwards (reversible_control.hpp)
};
[[nodiscard]] std::string_view name(StepControlKind kind);

struct StepControlOptions {
  StepControlKind kind = StepControlKind::fixed;
  double step = 0;          // length of all steps, or of the first
  double tolerance = 1e-4;  // error: of a step, relative (error_control.hpp defines it)
  double exponent = 0.75;   // reversible: κ, steps ∝ acceleration^(−κ)
  // error: where the run fails, by default 1e-9 of the first step; reversible: none is shorter.
  std::optional<double> min_step;
  // None is longer; by default unlimited (error) or ten first steps (reversible).
  std::optional<double> max_step;
  int max_halvings = 0;  // fixed, reversible: of steps that cannot be solved
};

class StepControl {
 public:
  StepControl() = default;
  StepControl(const StepControl&) = delete;
  StepControl& operator=(const StepControl&) = delete;
  virtual ~StepControl() = default;

  // Advances the state by one step, not beyond the time `until`, which a last, shorter step hits
  // exactly. The report covers the whole step with all attempts at it, and its h is the step's
  // length. When its status is not a success the state is as it was and h the length last tried.
  virtual StepReport step(State& state, double until) = 0;

  // Call with the state at hand when its velocity is about to be reversed: the steps that follow
  // then retrace those before, where the rule can do that.
  virtual void reverse(const State& /*before*/) {}

  // All that the rule remembers of the steps so far.
  virtual void archive(Archive& /*a*/) {}

  // Steps that were tried and given up for a shorter one.
  [[nodiscard]] virtual int rejected() const { return 0; }
  // To follow the description of a failed step: ", also when halved 6 times".
  [[nodiscard]] virtual std::string attempts() const = 0;
};

// Integrator and system must outlive the controller, which is for one run only. Throws Error when
// the rule does not suit the method.
[[nodiscard]] std::unique_ptr<StepControl> make_step_control(Integrator& integrator,
                                                             const System& system,
                                                             const Scheme& scheme,
                                                             const StepControlOptions& options);

// One step that, when it fails, is tried again as two steps of h/2, each again in halves, at most
// `max_halvings` deep. The report covers all of them; on failure the state is as it was.
StepReport step_with_halving(Integrator& integrator, State& state, double h, int max_halvings);

// How many steps of h fill a time, and whether all of them are of h but for rounding errors of the time.
// Otherwise the last two share what is left evenly. A remainder that is a tiny part of h makes them a little
// longer; any other makes them shorter, and there is one more.
struct StepCount {
  double steps = 0;
  bool equal = false;
};
[[nodiscard]] StepCount count_steps(double time, double h, double rounding);

// A step of h when `left` is left to go: all of it when no more than that, and half of it when it
// is less than two steps, so that the last one is not a tiny remainder in which differences of
// positions are lost to rounding.
[[nodiscard]] double fit_step(double h, double left);

}  // namespace lilyan
