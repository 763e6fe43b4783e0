#include "lilyan/physics/anchors.hpp"

#include <cstddef>
#include <utility>

namespace lilyan {

Anchors::Anchors(std::vector<Anchor> anchors) : anchors_(std::move(anchors)) {
  for (const Anchor& a : anchors_) vertices_.push_back(a.vertex);
}

double Anchors::evaluate(const Evaluation& at) const {
  double value = 0;
  double curvature = 0;
  for (const WeightedNode& node : at.nodes) curvature += node.hessian;
  for (std::size_t k = 0; k < anchors_.size(); ++k) {
    const Anchor& anchor = anchors_[k];
    const std::ptrdiff_t first = 3 * std::ptrdiff_t{anchor.vertex};
    for (const WeightedNode& node : at.nodes) {
      for (int i = 0; i < 3; ++i) {
        const double moved = at.d ? node.theta * at.d[first + i] : 0.0;
        const double offset = at.x0[first + i] + moved - anchor.point[i];
        value += 0.5 * node.value * anchor.stiffness * offset * offset;
        if (at.gradient) at.gradient[first + i] += node.gradient * anchor.stiffness * offset;
      }
    }
    if (!at.hessian) continue;
    add_element(
        *at.slots, k, {.vertices = 1},
        [&](int, int, int r, int c) { return r == c ? curvature * anchor.stiffness : 0.0; },
        at.hessian);
  }
  return value;
}

// Quadratic: the gradient at the midpoint.
void Anchors::discrete_gradient(const DiscreteEvaluation& at) const {
  for (std::size_t k = 0; k < anchors_.size(); ++k) {
    const Anchor& anchor = anchors_[k];
    const std::ptrdiff_t first = 3 * std::ptrdiff_t{anchor.vertex};
    if (at.gradient) {
      for (int i = 0; i < 3; ++i) {
        const double offset = at.x0[first + i] + 0.5 * at.d[first + i] - anchor.point[i];
        at.gradient[first + i] += at.gradient_weight * anchor.stiffness * offset;
      }
    }
    if (!at.jacobian) continue;
    const double slope = 0.5 * at.jacobian_weight * anchor.stiffness;
    add_element(
        *at.slots, k, {.vertices = 1}, [&](int, int, int r, int c) { return r == c ? slope : 0.0; },
        at.jacobian);
  }
}

}  // namespace lilyan
