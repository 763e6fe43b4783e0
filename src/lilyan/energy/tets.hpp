// Elastic energy of linear tetrahedra:  E(x) = Σ_tets V ψ(F),  F = D_s D_m⁻¹.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lilyan/assemble/tet_discrete_kernel.hpp"
#include "lilyan/assemble/tet_kernel.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/material/material.hpp"

namespace lilyan {

// Groups the tets, each with its vertices ascending. Throws Error naming the first tet whose rest
// volume is zero.
[[nodiscard]] std::vector<TetGroup> group_tets(const TetShape& shape);

template <HyperelasticMaterial Material>
class Tets final : public Energy {
 public:
  Tets(const Material& material, const TetShape& shape)
      : material_(material), groups_(group_tets(shape)) {
    for (const TetGroup& g : groups_) {
      for (int lane = 0; lane < g.lanes; ++lane) {
        for (int a = 0; a < 4; ++a) vertices_.push_back(g.vertex[a][lane]);
      }
    }
  }

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {4, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }

  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    return evaluate_tets(material_, std::span<const TetGroup>(groups_), at);
  }

  [[nodiscard]] bool has_moving_rest() const override { return true; }
  [[nodiscard]] double evaluate_from(const double* rest, const Evaluation& at) const override {
    return evaluate_tets_from(material_, std::span<const TetGroup>(groups_), rest, at);
  }

  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override {
    discrete_gradient_of_tets(material_, std::span<const TetGroup>(groups_), at);
  }

 private:
  Material material_;
  std::vector<TetGroup> groups_;
  std::vector<int> vertices_;
};

}  // namespace lilyan
