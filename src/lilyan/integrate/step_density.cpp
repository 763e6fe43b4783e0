#include "lilyan/integrate/step_density.hpp"

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

double StepDensity::log_of(double acceleration) const {
  return exponent_ * std::log(std::hypot(acceleration, floor_));
}

double StepDensity::log(const Vector& x) { return log_of(acceleration(x)); }

double StepDensity::rate(const Vector& x, const Vector& v, double dt) {
  displacement_ = dt * v;
  stop_fixed(assembler_.system(), displacement_);
  const double after = log_of(acceleration(x, &displacement_, 1));
  const double before = log_of(acceleration(x, &displacement_, -1));
  const double rate = (after - before) / (2 * dt);
  // Beyond a material's domain there is nothing to go by, in either direction.
  return std::isfinite(rate) ? rate : 0;
}

}  // namespace lilyan
