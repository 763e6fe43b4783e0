// Steps as long as an error estimate allows, for any method.
//
// Each step is made twice: as one step of h and as two of h/2. With p the method's order the local
// errors are C hᵖ⁺¹ and 2 C (h/2)ᵖ⁺¹, so the difference δ of the two results tells the error of the
// second, which is the one that is kept:
//
//   error = √( δxᵀM δx / h² + δvᵀM δv ) / ((2ᵖ − 1) V)                                          (1)
//
// a velocity relative to V = √(2·energy scale), the largest that was met in the run so far.
// Dividing δx by h needs no time scale from outside, and makes (1) an error per unit of time as far
// as positions go, which dominate it while h resolves the motion (δv is smaller by a factor hω):
// over a run such errors add up to a global error proportional to the tolerance, with error ∝ hᵖ.
//
// The next step is  h · 0.9 e^(−0.7/p) e₋^(0.4/p),  e and e₋ being the errors of this step and the
// one before relative to the tolerance (a PI controller: Gustafsson 1991; Hairer, Wanner, Solving
// ODEs II, section IV.2), kept between 1/5 and 5 times h. A step that could not be solved is tried
// again with a quarter of h.
#pragma once

#include "lilyan/integrate/step_control.hpp"

namespace lilyan {

class ErrorControl final : public StepControl {
 public:
  ErrorControl(Integrator& integrator, const System& system, int order,
               const StepControlOptions& options);
  StepReport step(State& state, double until) override;
  [[nodiscard]] int rejected() const override { return rejected_; }
  [[nodiscard]] std::string attempts() const override;

 private:
  // One step of h into whole_ and two of h/2 into `state`.
  StepReport attempt(State& state, double h);
  [[nodiscard]] double error(const State& state, double h) const;  // (1) over the tolerance
  void see(const Invariants& at);

  Integrator& integrator_;
  const System& system_;
  int order_;
  double tolerance_;
  double min_step_;
  double max_step_;
  double h_;  // to try next
  double previous_error_ = 1;
  bool started_ = false;
  double velocity_ = 0;  // V
  int rejected_ = 0;
  State start_, whole_;
};

}  // namespace lilyan
