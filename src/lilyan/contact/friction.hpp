// Coulomb friction, smoothed and lagged.
//
//   R(v) = Σ μ N ε (√(1 + |w|²/ε²) − 1),   w = T (Σ_a W_a v_a − o)                              (1)
// over the places of contact, with the pressure N and the tangent plane T = I − n nᵀ of each, o the
// velocity of the obstacle there, and ε the sliding speed below which friction turns into creep: at
// |w| = ε it has 71 % of its full strength, at 3ε 95 %. Convex in v, so a step stays a
// minimisation.
//
// N and n are taken at the start of the step (lagged). Methods that are minimisations then renew them from
// the solved step, where N is the mean of the contact force over it: a ball that bounces within a few steps
// feels the friction of the very step in which it touches. Explicit and discrete-gradient methods feel it
// from the next step on.
//
// Li et al.: Incremental Potential Contact, ACM TOG 39 (2020), for lagging friction this way.
#pragma once

#include "lilyan/contact/contact_points.hpp"
#include "lilyan/model/dissipation.hpp"

namespace lilyan {

class Friction final : public Dissipation {
 public:
  // The contact must outlive this. Throws Error unless μ ≥ 0 and ε > 0.
  Friction(const ContactEnergy& contact, double mu, double epsilon);

  [[nodiscard]] Stencils stencils(const WorldMemory* memory) const override;
  void begin_step(const StepStart& start, std::vector<double>& lagged) const override;
  double renew(const StepStart& start, const double* d, std::vector<double>& lagged) const override;
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] double driven_power(const std::vector<double>& lagged,
                                    const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return contact_.between_bodies(); }
  [[nodiscard]] bool keeps_angular_momentum() const override { return contact_.between_bodies(); }

 private:
  [[nodiscard]] const EnergyMemory* contact_memory(const WorldMemory* memory) const;

  const ContactEnergy& contact_;
  double mu_;
  double epsilon_;
};

}  // namespace lilyan
