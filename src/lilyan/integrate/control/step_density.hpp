// How fast a system's motion changes: the steps per unit of time that it wants.
#pragma once

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// Of potentials only: external forces may depend on velocity and time, a density of steps that can
// be retraced must not.
//
// The density  σ(x) = (‖a(x)‖² + floor²)^(κ/2),  a = −M⁻¹∇E(x) and ‖a‖² = aᵀM a, up to a constant
// factor. Where forces follow a power of the distance it is the scaling symmetry that says how
// steps should follow them: Kepler's motion, a ∝ r⁻², keeps its shape when times go with r^(3/2),
// hence κ = 3/4. The floor is for places where the acceleration vanishes but the motion goes on, as
// at the bottom of a pendulum.
class StepDensity {
 public:
  // The system must outlive it.
  explicit StepDensity(const System& system, double exponent = 0.75);
  void set_floor(double acceleration) { floor_ = acceleration; }

  [[nodiscard]] double acceleration(const Vector& x);  // ‖a(x)‖
  [[nodiscard]] double log(const Vector& x);           // log σ(x)
  // d/dt log σ along the motion with velocity v, by the difference between two points at a distance
  // (√(dᵀM d)) before and behind: a length suits motions whose speed varies better than a time.
  // Since v and −v take the same two points, it is odd in v to the last bit.
  [[nodiscard]] double rate(const Vector& x, const Vector& v, double distance);

 private:
  [[nodiscard]] double acceleration(const Vector& x, const Vector* d, double theta);
  [[nodiscard]] double floored_log(double acceleration) const;

  Assembler assembler_;
  double exponent_;
  double floor_ = 0;
  Vector gradient_, displacement_;
};

}  // namespace lilyan
