// Uniform gravity:  E(x) = −Σ m_i g·x_i.
#pragma once

#include <vector>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

class Gravity final : public Energy {
 public:
  Gravity(const Vec3& acceleration, std::vector<double> vertex_masses)
      : acceleration_(acceleration), masses_(std::move(vertex_masses)) {}

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::gravity; }
  [[nodiscard]] Stencils stencils() const override { return {}; }
  [[nodiscard]] bool translation_invariant() const override { return acceleration_.isZero(0); }
  [[nodiscard]] bool rotation_invariant() const override { return acceleration_.isZero(0); }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

 private:
  Vec3 acceleration_;
  std::vector<double> masses_;
};

}  // namespace lilyan
