#include "lilyan/integrate/control/step_density.hpp"

#include <array>
#include <cmath>

#include "lilyan/core/fixed.hpp"

namespace lilyan {

StepDensity::StepDensity(const System& system, double exponent)
    : assembler_(system),
      exponent_(exponent),
      gradient_(system.dofs()),
      displacement_(system.dofs()) {}

double StepDensity::acceleration(const Vector& x, const Vector* d, double theta) {
  const std::array<WeightedNode, 1> there{{{.theta = theta, .gradient = 1}}};
  assembler_.gradient(x, d, there, gradient_);
  return std::sqrt((gradient_.array().square() / assembler_.system().mass().array()).sum());
}

double StepDensity::acceleration(const Vector& x) { return acceleration(x, nullptr, 0); }

double StepDensity::floored_log(double acceleration) const {
  return std::log(std::hypot(acceleration, floor_));
}

double StepDensity::log(const Vector& x) { return exponent_ * floored_log(acceleration(x)); }

double StepDensity::rate(const Vector& x, const Vector& v, double distance) {
  displacement_ = v;
  stop_fixed(assembler_.system(), displacement_);
  const auto& mass = assembler_.system().mass().array();
  const double speed = std::sqrt((mass * displacement_.array().square()).sum());
  if (speed == 0) return 0;
  displacement_ *= distance / speed;
  const double after = floored_log(acceleration(x, &displacement_, 1));
  const double before = floored_log(acceleration(x, &displacement_, -1));
  // The exponent last: a product inside the difference could be fused with it, for one of the two.
  const double rate = (after - before) * (exponent_ * speed / (2 * distance));
  // Beyond a material's domain there is nothing to go by, in either direction.
  return std::isfinite(rate) ? rate : 0;
}

}  // namespace lilyan
