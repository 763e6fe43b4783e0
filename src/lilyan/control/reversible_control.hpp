// Variable steps that a symmetric method can retrace, so that it keeps its long-time behaviour.
//
// Hairer, Söderlind: Explicit, time reversible, adaptive step size control, SIAM J. Sci. Comput. 26
// (2005). With a density σ(x) of steps (StepDensity) and G = d/dt log σ along the motion,
//
//   ρ_½ = 1 + ½ ε G(x₀, v₀)                                                                     (1)
//   ρ_{n+½} = ρ_{n−½} + ε G(x_n, v_n)                                                           (2)
//   h_n = ε / ρ_{n+½}                                                                           (3)
//
// so that ρ follows σ/σ₀ and ε is the first step. Run backwards from x_{n+1}, −v_{n+1}, the rule
// meets the same densities in the opposite order, since G is odd in v: step and rule together are
// reversible, whereas a step chosen from x_n alone makes even a symplectic method drift.
//
// σ sees potentials only, not external forces: those may depend on v and t, and G would not be odd
// in v. Where they alone make the motion fast, steps have to be short by ε or max_step.
//
// Any function of ρ_{n+½} instead of (3) is as good, so limits on h do not spoil this. max_step is
// built into σ as well, by a floor under the acceleration at which (3) gives max_step; what is left
// to the limit itself are zeros of the acceleration passed in so few steps that ρ overshoots.
#pragma once

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/control/step_control.hpp"

namespace lilyan {

// How fast a system's motion changes: the steps per unit of time that it wants.
//
// The density looks at potentials only: external forces may depend on velocity and time, and a
// density of steps that can be retraced must not.
//
// The density  σ(x) = (‖a(x)‖² + floor²)^(κ/2),  a = −M⁻¹∇E(x) and ‖a‖² = aᵀM a, up to a constant
// factor. Where forces follow a power of the distance it is the scaling symmetry that says how
// steps should follow them: Kepler's motion, a ∝ r⁻², keeps its shape when times go with r^(3/2),
// hence κ = 3/4. The floor is for places where the acceleration vanishes but the motion goes on, as
// at the bottom of a pendulum.
class StepDensity {
 public:
  // The system and its memory must outlive it.
  explicit StepDensity(const World& world, double exponent = 0.75);
  void set_floor(double acceleration) { floor_ = acceleration; }
  void archive(Archive& a) { a(floor_); }

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

class ReversibleControl final : public StepControl {
 public:
  // For symmetric methods.
  ReversibleControl(Integrator& integrator, const System& system,
                    const StepControlOptions& options);
  // A step that cannot be solved is halved, like one of fixed length. The step that retraces it is
  // the same problem, so it will be halved as well.
  StepReport step(State& state, double until) override;
  void reverse(const State& before) override;
  void archive(Archive& a) override { a(density_, max_step_, started_, distance_, rho_); }
  [[nodiscard]] std::string attempts() const override;

 private:
  void start(const State& state);
  [[nodiscard]] double growth(const State& state);  // ε G

  Integrator& integrator_;
  const System& system_;
  StepDensity density_;
  double epsilon_;
  double exponent_;
  double min_step_;
  double max_step_;
  int max_halvings_;
  bool started_ = false;
  double distance_ = 0;  // over which G is a difference
  double rho_ = 1;       // ρ_{n−½}, the density at the last step
};

}  // namespace lilyan
