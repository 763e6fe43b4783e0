// The equations of one constrained step.
//
//   ∇Φ(d) − C(d)ᵀλ̂ = 0,   g(x₀+d) = 0,   λ̂ = h²λ · (share of the force in the stage)            (1)
//
// Φ is the objective of the step without constraints (step_objective.hpp). The rows of C are the
// directions in which constraints push:
//
//   start:     C = G(x₀): variational methods (SHAKE)                                           (2)
//   averaged:  C = Σ bᵢ G(x₀+cᵢd), so that C d = g(x₁) − g(x₀): energy-conserving methods       (3)
//
// In the averaged case the step starts from v₀ + Nν, with N the unit normals at x₀ and ν such that
// the velocity it arrives with has the normal part ν again (constrained.hpp says why).
#pragma once

#include <span>
#include <vector>

#include "lilyan/integrate/constrained/constraint_set.hpp"
#include "lilyan/integrate/step/step_objective.hpp"

namespace lilyan {

class ConstrainedObjective {
 public:
  ConstrainedObjective(const System& system, StepObjective& free);
  [[nodiscard]] const System& system() const { return system_; }

  struct Step {
    const Vector* x0;
    const Vector* v0;
    double h;
    // (cᵢ, bᵢ) of (3); empty: (2).
    std::span<const Node> average;
  };
  // Jacobian, its factor and the size of the terms at x₀; false when singular there.
  bool begin(const Vector& x0);
  // After begin() and after the free objective was prepared, with its target as without
  // constraints.
  void prepare(const Step& step);

  // Everything that the solve takes as constant about d: G(x₀+d), C, ν, external forces. False when
  // the constraints are singular there.
  bool linearise(const Vector& d);
  // Whether linearise() changes Φ.
  [[nodiscard]] bool moves() const { return averaged() || forced_; }
  double evaluate(const Vector& d, Vector& gradient, Vector& g);

  [[nodiscard]] StepObjective& free() { return free_; }
  [[nodiscard]] const ConstraintSet& set() const { return set_; }
  [[nodiscard]] bool averaged() const { return !step_.average.empty(); }
  [[nodiscard]] const ConstraintSet::Jacobian& jacobian() const { return end_; }
  [[nodiscard]] const ConstraintSet::Jacobian& directions() const {
    return averaged() ? mean_ : start_;
  }
  // Diagonal of the Hessian when Φ has no energies in it.
  void diagonal(Vector& result) const;
  // L₀⁻¹g: how far from the constraints in the norm of M. In place; and L₀ᵀλ.
  [[nodiscard]] double distance(Vector& g) const;
  void multiply_upper(Vector& lambda) const { start_factor_.multiply_upper(lambda); }
  // Whether every |g| is at most `factor` times the rounding error of its terms.
  [[nodiscard]] bool closed(const Vector& g, double factor) const;

  // At x₀, from begin().
  [[nodiscard]] const Vector& start_values() const { return start_values_; }
  [[nodiscard]] const Vector& start_scale() const { return scale_; }
  [[nodiscard]] const ConstraintSet::Jacobian& start_jacobian() const { return start_; }
  [[nodiscard]] const GramFactor& start_factor() const { return start_factor_; }
  [[nodiscard]] const DenseMatrix& start_gram() const { return gram_; }
  [[nodiscard]] const Vector& normal_speed() const { return nu_; }
  // M N ν, the impulse at the start of the step.
  [[nodiscard]] const Vector& normal_impulse() const { return normal_impulse_; }

 private:
  bool find_normal_speed(const Vector& d);

  const System& system_;
  StepObjective& free_;
  ConstraintSet set_;
  bool forced_;
  Step step_{};
  ConstraintSet::Jacobian start_, end_, mean_, node_;
  GramFactor start_factor_, end_factor_;
  DenseMatrix gram_, end_gram_, mix_;
  Eigen::PartialPivLU<DenseMatrix> mix_lu_;
  Vector start_values_, scale_, nu_, right_, scratch_g_;
  Vector plain_target_, normal_impulse_, x_, velocity_;
};

}  // namespace lilyan
