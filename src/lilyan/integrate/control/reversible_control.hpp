// Variable steps that a symmetric method can retrace, so that it keeps its long-time behaviour.
//
// Hairer, Söderlind: Explicit, time reversible, adaptive step size control, SIAM J. Sci. Comput. 26
// (2005). With a density σ(x) of steps (step_density.hpp) and G = d/dt log σ along the motion,
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

#include "lilyan/integrate/control/step_control.hpp"
#include "lilyan/integrate/control/step_density.hpp"

namespace lilyan {

class ReversibleControl final : public StepControl {
 public:
  // For symmetric methods.
  ReversibleControl(Integrator& integrator, const System& system,
                    const StepControlOptions& options);
  // A step that cannot be solved is halved, like one of fixed length: its retraced counterpart is
  // the same problem and will be as well.
  StepReport step(State& state, double until) override;
  void reverse(const State& before) override;
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
  double rho_ = 1;       // of the last step, ρ_{n−½}
};

}  // namespace lilyan
