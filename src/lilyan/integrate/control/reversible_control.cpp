#include "lilyan/integrate/control/reversible_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

constexpr double kMaxStep = 10;  // first steps, unless given
// G is a difference over this share of the first step's length: short against any step's, long
// enough against rounding.
constexpr double kDifference = 0.1;
// Where there is no acceleration at the start, the floor is one that turns the velocity round in as
// many steps.
constexpr double kTurn = 100;

}  // namespace

ReversibleControl::ReversibleControl(Integrator& integrator, const System& system,
                                     const StepControlOptions& options)
    : integrator_(integrator),
      system_(system),
      density_(system, options.exponent),
      epsilon_(options.step),
      exponent_(options.exponent),
      min_step_(options.min_step.value_or(0)),
      max_step_(options.max_step.value_or(kMaxStep * options.step)),
      max_halvings_(options.max_halvings) {}

std::string ReversibleControl::attempts() const {
  return max_halvings_ > 0 ? fmt::format(", also when halved {} times", max_halvings_) : "";
}

void ReversibleControl::start(const State& state) {
  const double speed = std::sqrt((system_.mass().array() * state.v.array().square()).sum());
  const double acceleration = density_.acceleration(state.x);
  distance_ = kDifference * epsilon_ * std::hypot(speed, epsilon_ * acceleration);
  const double turn = speed / (kTurn * epsilon_);
  double floor = acceleration * std::pow(epsilon_ / max_step_, 1 / exponent_);
  if (!(acceleration > 1e-3 * turn)) floor = turn > 0 ? turn : 1;
  density_.set_floor(floor);
  // Where the acceleration is zero; ε itself when the motion starts there.
  max_step_ =
      std::min(max_step_, epsilon_ * std::pow(std::hypot(acceleration, floor) / floor, exponent_));
  rho_ = 1 - 0.5 * growth(state);  // so that (2) gives (1)
  started_ = true;
}

double ReversibleControl::growth(const State& state) {
  return epsilon_ * density_.rate(state.x, state.v, distance_);
}

StepReport ReversibleControl::step(State& state, double until) {
  if (!started_) start(state);
  const double rho = rho_ + growth(state);  // (2)
  // (3); a density that overshot zero asks for the longest step there is.
  double h = rho * max_step_ > epsilon_ ? epsilon_ / rho : max_step_;
  h = std::max(h, min_step_);
  const double left = until - state.t;
  h = fit_step(h, left);
  const StepReport report = advance(integrator_, state, h, max_halvings_);
  if (!succeeded(report.status)) return report;
  rho_ = rho;
  if (h == left) state.t = until;
  return report;
}

void ReversibleControl::reverse(const State& before) {
  // The next step here would have had ρ_{n+½}; from there (2) with −v leads back to ρ_{n−½}.
  if (started_) rho_ += growth(before);
}

}  // namespace lilyan
