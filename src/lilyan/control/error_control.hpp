// Steps as long as an error estimate allows, for any method.
//
// Each step is made twice: as one step of h and as two of h/2. With p the method's order the local
// errors are C hᵖ⁺¹ and 2 C (h/2)ᵖ⁺¹, so the difference δ of the two results tells the error of the
// second, which is the one that is kept:
//
//   error = ‖ ( δx/(h V), δv/(h A) ) ‖ / (2ᵖ − 1),   ‖u‖² = uᵀM u                             (1)
//
// the errors of the step's mean velocity and mean acceleration, relative to V = √(2·energy scale)
// and A, the largest acceleration, both as met lately: no scale from outside is needed. Lately means
// that both fade by e^(−h A/(4V)) in a step. V/A is the time in which the motion turns round: an oscillation
// is measured by its amplitude all the way, and a comet far from its sun by the forces there, which are
// 10⁻⁴ of those at perihelion. They do not fade below small parts of the largest met in the whole run, so
// that a body that comes to rest is not followed for ever.
// A is at least the acceleration by all forces at the start, V what it gives in the first step.
// When a motion starts from rest without any (a push that swings through zero) they are the first
// attempt's mean acceleration and change of velocity. A push that sets in later, on a body at rest,
// is measured by the attempt that first meets it, which may have met very little of it.
//
// Both are errors per unit of time, so those of all steps add up to a global error proportional to
// the tolerance, and both go as hᵖ, p being Claims::forced_order where there are
// external forces. (Velocities compared per step instead, as in
// √(δxᵀMδx/h² + δvᵀMδv), lose that proportionality: where δx passes through zero the step grows
// until δv stops it, of which there are then more the smaller the tolerance.)
//
// For a method that looks at the step before 2ᵖ − 1 is wrong, since the one step and the two follow
// that step at different ratios ω of lengths. The error e₁ that a step of variable-step BDF2 adds
// follows from the e₀ of the step before and from what the formula leaves of the third derivative,
//
//   A e₁ = C e₀ + h³ (1+ω)/(6ω) y‴,   A = (1+2ω)/(1+ω),  C = ω²/(1+ω)                         (2)
//
// Equal steps of h/2 add (h/2)³ y‴/3 each, so two of them h³ y‴/12; one of h in their place, ω = 2,
// adds 11 h³ y‴/60. The difference is 1.2 times the error of the two, and 1.14 to 1.29 times where
// h has just been doubled or halved: 1.2 stands for 2ᵖ − 1 with all methods of two steps (there is
// no other). Where there is no step before, both halves are starts, which are steps of one step.
//
// The next step is  h · 0.9 e^(−0.7/p) e₋^(0.4/p),  e and e₋ being the errors of this step and the
// one before relative to the tolerance (a PI controller: Gustafsson 1991; Hairer, Wanner, Solving
// ODEs II, section IV.2), kept between 1/5 and 5 times h. A step that could not be solved is tried
// again with a quarter of h.
#pragma once

#include "lilyan/control/step_control.hpp"

namespace lilyan {

class ErrorControl final : public StepControl {
 public:
  ErrorControl(Integrator& integrator, const System& system, const Scheme& scheme,
               const StepControlOptions& options);
  StepReport step(State& state, double until) override;
  void archive(Archive& a) override { a(h_, previous_error_, started_, sizes_, rejected_); }
  [[nodiscard]] int rejected() const override { return rejected_; }
  [[nodiscard]] std::string attempts() const override;

 private:
  // One step of h into whole_ and two of h/2 into `state`.
  StepReport attempt(State& state, double h);
  template <class Expression>
  [[nodiscard]] double norm(const Expression& u);
  [[nodiscard]] double error(const State& state, double h);  // (1) over the tolerance
  [[nodiscard]] double rounding_x(const State& state);
  [[nodiscard]] double rounding_v(const State& state, double h);
  void start(const State& state);                // first V and A
  void see(const Invariants& at);                // enters V
  void fade(double h, double acceleration);      // V and A after a step
  void see_start(const State& state, double h);  // gives V and A, where there were none

  Integrator& integrator_;
  const System& system_;
  int order_;              // p
  bool looks_back_;        // the method uses the step before
  double doubling_;        // 2ᵖ − 1
  double doubling_after_;  // its replacement where there is a step before
  double tolerance_;
  double min_step_;
  double max_step_;
  double h_;  // to try next
  double previous_error_ = 1;
  bool started_ = false;
  struct Sizes {
    double velocity = 0;      // V
    double acceleration = 0;  // A
    double largest_velocity = 0;
    double largest_acceleration = 0;
    void archive(Archive& a) { a(velocity, acceleration, largest_velocity, largest_acceleration); }
  };
  Sizes sizes_;
  int rejected_ = 0;
  State start_, whole_;
  Vector free_;  // where vertices are scripted
};

}  // namespace lilyan
