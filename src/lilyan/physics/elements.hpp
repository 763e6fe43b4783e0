// A potential energy made of small elements with local energies, see assemble/element_kernel.hpp.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lilyan/assemble/element_kernel.hpp"
#include "lilyan/core/energy.hpp"

namespace lilyan {

template <LocalEnergy E>
class Elements final : public Energy {
 public:
  explicit Elements(std::vector<Element<E>> elements) : elements_(std::move(elements)) {
    for (const Element<E>& element : elements_) {
      auto ascending = element.vertices;
      std::ranges::sort(ascending);
      vertices_.insert(vertices_.end(), ascending.begin(), ascending.end());
    }
  }

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {E::kVertices, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }

  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    return evaluate_elements(std::span<const Element<E>>(elements_), at);
  }
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override {
    discrete_gradient_of_elements(std::span<const Element<E>>(elements_), at);
  }

 private:
  std::vector<Element<E>> elements_;
  std::vector<int> vertices_;
};

}  // namespace lilyan
