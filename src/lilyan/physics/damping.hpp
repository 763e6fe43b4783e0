// Damping of elastic bodies: proportional to stiffness or mass, and of the strain within a step.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/dissipation.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/impulse.hpp"

namespace lilyan {

// Stiffness-proportional Rayleigh damping:  R(v) = ½ δ vᵀ K v,  K the Hessian of an elastic energy
// at the start of the step, made positive semidefinite element by element.                      (1)
//
// With the mean velocity of the step, force −δ K (x₁−x₀)/h, an AVF step loses exactly
// (δ/h) ‖x₁−x₀‖²_K ≥ 0. With the velocity at its end it is the form of Rojas, Liu and Kavan (their
// equation 15), whose −(h/2) v₁ᵀD(v₀+v₁) may add energy.
class Rayleigh final : public Dissipation {
 public:
  // The energy must outlive this. δ has the unit of time. Throws Error unless it is not negative.
  Rayleigh(const Energy& energy, double delta,
           DissipationVelocity velocity = DissipationVelocity::path);
  ~Rayleigh() override;

  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return energy_.stencils();
  }
  [[nodiscard]] DissipationVelocity velocity() const override { return velocity_; }
  void begin_step(const StepStart& start, std::vector<double>& lagged) const override;
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  // K has no force from a translation; a rotation of a strained body it does resist.
  [[nodiscard]] bool keeps_linear_momentum() const override {
    return energy_.translation_invariant();
  }
  [[nodiscard]] bool keeps_angular_momentum() const override { return false; }

 private:
  const Energy& energy_;
  double delta_;
  DissipationVelocity velocity_;
  // Each element's lower triangle, one after the other.
  std::unique_ptr<const BlockSlots> places_;
  int element_size_;
  bool shifts_;  // translations have no force
};

// Mass-proportional damping:  R(v) = ½ η vᵀ M v  over some vertices.
class MassDamping final : public Dissipation {
 public:
  // η has the unit of one over time; masses are those of the given vertices. Throws Error unless η
  // is not negative.
  MassDamping(std::vector<int> vertices, std::vector<double> masses, double eta,
              DissipationVelocity velocity = DissipationVelocity::path);

  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return {1, vertices_};
  }
  [[nodiscard]] DissipationVelocity velocity() const override { return velocity_; }
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return eta_ == 0; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return eta_ == 0; }

 private:
  std::vector<int> vertices_;
  std::vector<double> masses_;
  double eta_;
  DissipationVelocity velocity_;
};

// Strain damping (Kharevych et al. 2006, section 5.2): what is damped is the deformation that
// happens within one step. With E(C(a,b)) the elastic energy of the shape b, a being undeformed,
// the impulses are
//   explicit:  −k ∇E(C(x₋₁, x₀))   at the start of the step, from the step before               (1)
//   implicit:  −k ∇E(C(x₀, x₁))    over the step, R(v) = (k/h²) E(C(x₀, x₀ + h v))              (2)
// both derivatives by the second argument. k has the unit of time, and the motion does not depend
// on h: E is quadratic in the step's strain, so (1) and (2) are −h k K v for small steps, K being
// the stiffness of the shape at x₀ as if it were free of stress.
//
// Neither resists rigid motion. (1) acts at x₀, where it has no torque: both momenta are exact. (2)
// has no torque about x₁, but acts over the step: linear momentum is exact, angular momentum up to
// O(h²) in a step.

// (1). The energy must outlive this. Throws Error for k < 0 and for energies without moving rest.
class ExplicitStrainDamping final : public Impulse {
 public:
  ExplicitStrainDamping(const Energy& energy, double k);
  void add(const double* x_previous, const double* x, double* impulse) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return true; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return true; }

 private:
  const Energy& energy_;
  double k_;
};

// (2), likewise.
class ImplicitStrainDamping final : public Dissipation {
 public:
  ImplicitStrainDamping(const Energy& energy, double k, int dofs);
  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return energy_.stencils();
  }
  void begin_step(const StepStart& start, std::vector<double>& lagged) const override;
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return true; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return false; }

 private:
  const Energy& energy_;
  double k_;
  int dofs_;
};

// Kelvin–Voigt damping of tets: a viscous stress in proportion to the rate of Green's strain over the step,
//   P_v = F½ (τ ℂ : (C₁ − C₀)/(2h)),   F½ = ½(F₀ + F₁),  C = FᵀF,                               (1)
// ℂ being the stiffness of the body at rest and τ a time. Since (C₁ − C₀)/2 = sym(F½ᵀ(F₁ − F₀)) it takes
// τ Ė:ℂ:Ė ≥ 0 from the energy at any h, and since P_v F½ᵀ is symmetric it has no torque about the middle
// of the step, where methods that take the mean velocity act: both momenta are exact with these.
//
// F½ lags behind: it is that of the step solved before, renewed until it does not change any more. With it
//   R(v) = ½ τ Σ ε·Cε,   ε = sym(F½ᵀ ∇v),                                                       (2)
// C being what an element's Hessian at rest makes of strains. (That Hessian would do, too, but for rounding errors:
// it does not know rigid motions from strains, which stiff bodies feel.)
class KelvinVoigtDamping final : public Dissipation {
 public:
  // An energy of tets, and the positions at rest of all vertices that it uses. The energy must outlive
  // this. Throws Error for τ < 0 and for other energies.
  KelvinVoigtDamping(const Energy& energy, const Vector& rest, double tau);

  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return energy_.stencils();
  }
  void begin_step(const StepStart& start, std::vector<double>& lagged) const override;
  double renew(const StepStart& start, const double* d, std::vector<double>& lagged) const override;
  [[nodiscard]] bool must_settle(const StepStart& start) const override { return start.turns; }
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return true; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return true; }

 private:
  struct Element {
    Eigen::Matrix3d inverse_rest;           // of the edges at rest
    Eigen::Matrix<double, 6, 6> stiffness;  // C
  };
  // F½ of a step from x by h d.
  [[nodiscard]] Eigen::Matrix3d middle(std::size_t element, const double* x, const double* d,
                                       double h) const;

  const Energy& energy_;
  double tau_;
  std::vector<Element> elements_;
};

}  // namespace lilyan
