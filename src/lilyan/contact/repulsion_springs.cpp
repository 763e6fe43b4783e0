#include "lilyan/contact/repulsion_springs.hpp"

#include <algorithm>
#include <utility>

namespace lilyan {

RepulsionSprings::RepulsionSprings(Obstacle obstacle, std::vector<int> vertices, double k,
                                   double thickness)
    : obstacle_(std::move(obstacle), std::move(vertices), k, thickness),
      k_(k),
      springs_(obstacle_.vertices().size()) {}

void RepulsionSprings::recall(double t) {
  while (!past_.empty() && past_.back().t >= t) past_.pop_back();
  for (Spring& spring : springs_) spring.active = false;
  if (past_.empty()) return;
  for (const auto& [n, spring] : past_.back().active) springs_[n] = spring;
}

bool RepulsionSprings::begin_step(const StepOpening& opening) {
  constexpr std::size_t kMostPast = 4096;  // substeps of one step, by far
  recall(opening.t);
  obstacle_.begin_step(opening);
  for (std::size_t n = 0; n < springs_.size(); ++n) {
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(obstacle_.vertices()[n]);
    const Vec3 x = Eigen::Map<const Vec3>(opening.x + i);
    const Vec3 v = Eigen::Map<const Vec3>(opening.v + i) - obstacle_.velocity(x);
    const SignedDistance d = obstacle_.distance(x);
    Spring& spring = springs_[n];
    if (d.value < 0) {
      spring.active = true;
    } else if (v.dot(d.normal) > 0) {
      spring.active = false;
    }
    spring.normal = d.normal;
    spring.offset = d.normal.dot(x) - d.value;
  }
  if (past_.size() == kMostPast) past_.erase(past_.begin(), past_.begin() + kMostPast / 2);
  past_.push_back({.t = opening.t, .active = {}});
  for (std::size_t n = 0; n < springs_.size(); ++n) {
    if (springs_[n].active) past_.back().active.emplace_back(n, springs_[n]);
  }
  return false;
}

void RepulsionSprings::end_step(double t) {
  recall(t);
  obstacle_.end_step(t);
}

int RepulsionSprings::springs() const {
  return static_cast<int>(std::ranges::count_if(springs_, &Spring::active));
}

// Quadratic in x: the sums over nodes are what they are for every energy.
double RepulsionSprings::evaluate(const Evaluation& at) const {
  double value = 0;
  for (std::size_t n = 0; n < springs_.size(); ++n) {
    const auto& [active, offset, normal] = springs_[n];
    if (!active) continue;
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(obstacle_.vertices()[n]);
    const double start = normal.dot(Eigen::Map<const Vec3>(at.x0 + i)) - offset;
    const double moved = at.d ? normal.dot(Eigen::Map<const Vec3>(at.d + i)) : 0.0;
    double slope = 0;
    double stiffness = 0;
    for (const WeightedNode& node : at.nodes) {
      const double depth = start + node.theta * moved;
      value += node.value * k_ * depth * depth;
      slope += node.gradient * 2 * k_ * depth;
      stiffness += node.hessian * 2 * k_;
    }
    if (at.gradient) Eigen::Map<Vec3>(at.gradient + i) += slope * normal;
    if (!at.hessian) continue;
    const int length = at.slots->column_length[n];
    for (int c = 0; c < 3; ++c) {
      double* column = at.hessian + at.slots->position[n] + c * length - c * (c + 1) / 2;
      for (int r = c; r < 3; ++r) column[r] += stiffness * normal[r] * normal[c];
    }
  }
  return value;
}

// The midpoint's gradient, exact for quadratic E.
void RepulsionSprings::discrete_gradient(const DiscreteEvaluation& at) const {
  for (std::size_t n = 0; n < springs_.size(); ++n) {
    const auto& [active, offset, normal] = springs_[n];
    if (!active) continue;
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(obstacle_.vertices()[n]);
    const double depth =
        normal.dot(Eigen::Map<const Vec3>(at.x0 + i) + 0.5 * Eigen::Map<const Vec3>(at.d + i)) -
        offset;
    if (at.gradient) {
      Eigen::Map<Vec3>(at.gradient + i) += (at.gradient_weight * 2 * k_ * depth) * normal;
    }
    if (at.jacobian && at.slots->position[n] >= 0) {
      for (int c = 0; c < 3; ++c) {
        double* column = at.jacobian + at.slots->position[n] + c * at.slots->column_length[n];
        for (int r = 0; r < 3; ++r) column[r] += at.jacobian_weight * k_ * normal[r] * normal[c];
      }
    }
  }
}

}  // namespace lilyan
