#include "lilyan/control/reversible_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

StepDensity::StepDensity(const World& world, double exponent)
    : assembler_(world),
      exponent_(exponent),
      gradient_(world.system.dofs()),
      displacement_(world.system.dofs()) {}

double StepDensity::acceleration(const Vector& x, const Vector* d, double theta) {
  const std::array<WeightedNode, 1> there{{{.theta = theta, .gradient = 1}}};
  assembler_.gradient(x, d, there, gradient_);
  return std::sqrt(assembler_.system().mass().inverse_square(gradient_));
}

double StepDensity::acceleration(const Vector& x) { return acceleration(x, nullptr, 0); }

double StepDensity::floored_log(double acceleration) const {
  return std::log(std::hypot(acceleration, floor_));
}

double StepDensity::log(const Vector& x) { return exponent_ * floored_log(acceleration(x)); }

double StepDensity::rate(const Vector& x, const Vector& v, double distance) {
  displacement_ = v;
  assembler_.system().embedding().restrict_displacement(displacement_);
  const double speed = std::sqrt(assembler_.system().mass().square(displacement_));
  if (speed == 0) return 0;
  displacement_ *= distance / speed;
  const double after = floored_log(acceleration(x, &displacement_, 1));
  const double before = floored_log(acceleration(x, &displacement_, -1));
  // The exponent last: a product inside the difference could be fused with it, for one of the two.
  const double rate = (after - before) * (exponent_ * speed / (2 * distance));
  // Beyond a material's domain there is nothing to go by, in either direction.
  return std::isfinite(rate) ? rate : 0;
}

ReversibleControl::ReversibleControl(Integrator& integrator, const System& system,
                                     const StepControlOptions& options)
    : integrator_(integrator),
      system_(system),
      density_({system, integrator.memory()}, options.exponent),
      epsilon_(options.step),
      exponent_(options.exponent),
      min_step_(options.min_step.value_or(0)),
      max_step_(options.max_step.value_or(kMaxStep * options.step)),
      max_halvings_(options.max_halvings) {}

std::string ReversibleControl::attempts() const {
  return max_halvings_ > 0 ? fmt::format(", also when halved {} times", max_halvings_) : "";
}

void ReversibleControl::start(const State& state) {
  const double speed = std::sqrt(system_.mass().square(state.v));
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
  const StepReport report = step_with_halving(integrator_, state, h, max_halvings_);
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
