// Uniform gravity:  E(x) = −Σ m_i g·x_i.                                                       (1)
#include "lilyan/physics/energies.hpp"

namespace lilyan {

double Gravity::evaluate(const Evaluation& at) const {
  const int n = static_cast<int>(masses_.size());
  // Linear in x: the sums over nodes need only Σw and Σwθ.
  double value_weight = 0;
  double value_theta = 0;
  double gradient_weight = 0;
  for (const WeightedNode& node : at.nodes) {
    value_weight += node.value;
    value_theta += node.value * node.theta;
    gradient_weight += node.gradient;
  }
  double value = 0;
  if (at.from_start) value_weight = 0;
  if (at.want_value) {
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < 3; ++c) {
        const double moved = at.d ? value_theta * at.d[3 * i + c] : 0.0;
        value -= masses_[i] * acceleration_[c] * (value_weight * at.x0[3 * i + c] + moved);
      }
    }
  }
  if (at.gradient) {
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < 3; ++c) {
        at.gradient[3 * i + c] -= gradient_weight * masses_[i] * acceleration_[c];
      }
    }
  }
  return value;
}

// Linear in x: the gradient itself is the only discrete gradient, and does not depend on d.
void Gravity::discrete_gradient(const DiscreteEvaluation& at) const {
  if (!at.gradient) return;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      at.gradient[3 * i + c] -=
          at.gradient_weight * masses_[i] * acceleration_[static_cast<Eigen::Index>(c)];
    }
  }
}

EnergyInfo gravity_info() {
  return {
      .name = "gravity", .summary = "a uniform field", .formula = "E = −Σ m_i g·x_i", .degree = 1};
}

}  // namespace lilyan
