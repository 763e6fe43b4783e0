// Springs of rest length zero from vertices to points in space:  E = Σ ½ k |x_i − p_i|².
#pragma once

#include <vector>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

struct Anchor {
  int vertex = 0;
  Vec3 point = Vec3::Zero();
  double stiffness = 0;
};

class Anchors final : public Energy {
 public:
  explicit Anchors(std::vector<Anchor> anchors);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {1, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return anchors_.empty(); }
  [[nodiscard]] bool rotation_invariant() const override { return anchors_.empty(); }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

 private:
  std::vector<Anchor> anchors_;
  std::vector<int> vertices_;
};

}  // namespace lilyan
