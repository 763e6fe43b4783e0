#include "lilyan/contact/repulsion_springs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

struct RepulsionSprings::Memory final : EnergyMemory {
  struct Spring {
    bool active = false;
    double offset = 0;  // x_s·n_s
    Vec3 normal = Vec3::Zero();
  };
  std::vector<Spring> springs;  // of each vertex

  // Only active springs mean anything.
  void archive(Archive& a) override {
    std::size_t active = static_cast<std::size_t>(count(*this));
    a(active);
    if (a.loading()) {
      Archive::require(active <= springs.size());
      for (Spring& spring : springs) spring.active = false;
    }
    for (std::size_t n = 0; active > 0; ++n, --active) {
      while (!a.loading() && !springs[n].active) ++n;
      a(n);
      Archive::require(n < springs.size() && !(a.loading() && springs[n].active));
      a(springs[n].offset, springs[n].normal);
      springs[n].active = true;
    }
  }
};

RepulsionSprings::RepulsionSprings(Obstacle obstacle, std::vector<int> vertices, double k,
                                   double thickness)
    : obstacle_(std::move(obstacle)), vertices_(std::move(vertices)), k_(k), thickness_(thickness) {
  if (!(k > 0)) throw Error("the stiffness of a contact must be positive");
}

std::unique_ptr<EnergyMemory> RepulsionSprings::make_memory() const {
  auto memory = std::make_unique<Memory>();
  memory->springs.resize(vertices_.size());
  return memory;
}

int RepulsionSprings::count(const EnergyMemory& memory) {
  return static_cast<int>(
      std::ranges::count_if(static_cast<const Memory&>(memory).springs, &Memory::Spring::active));
}

bool RepulsionSprings::begin_step(const StepStart& start, EnergyMemory& memory) const {
  ObstaclePoses poses;
  poses.begin_step(obstacle_.motion, start.t, start.h);
  auto& springs = static_cast<Memory&>(memory).springs;
  for (std::size_t n = 0; n < springs.size(); ++n) {
    const std::ptrdiff_t i = 3 * std::ptrdiff_t{vertices_[n]};
    const Vec3 x = Eigen::Map<const Vec3>(start.x + i);
    Vec3 v = Eigen::Map<const Vec3>(start.v + i);
    if (obstacle_.motion.moves()) v -= poses.velocity(x);
    SignedDistance d = obstacle_.distance(poses.now, x);
    d.value -= thickness_;
    Memory::Spring& spring = springs[n];
    if (d.value < 0) {
      spring.active = true;
    } else if (v.dot(d.normal) > 0) {
      spring.active = false;
    }
    spring.normal = d.normal;
    spring.offset = d.normal.dot(x) - d.value;
  }
  return false;
}

// Quadratic in x: the sums over nodes are what they are for every energy.
double RepulsionSprings::evaluate(const Evaluation& at) const {
  double value = 0;
  if (!at.memory) return value;
  const auto& springs = static_cast<const Memory*>(at.memory)->springs;
  for (std::size_t n = 0; n < springs.size(); ++n) {
    const auto& [active, offset, normal] = springs[n];
    if (!active) continue;
    const std::ptrdiff_t i = 3 * std::ptrdiff_t{vertices_[n]};
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
    add_element(
        *at.slots, n, {.vertices = 1},
        [&, &normal = normal](int, int, int r, int c) { return stiffness * normal[r] * normal[c]; },
        at.hessian);
  }
  return value;
}

// What a spring is compressed by at the start of a step does not change within it.
void RepulsionSprings::raise_own_lengths(const double* x, int /*dimension*/,
                                         const EnergyMemory* memory,
                                         std::span<double> lengths) const {
  if (!memory) return;
  const auto& springs = static_cast<const Memory*>(memory)->springs;
  for (std::size_t n = 0; n < springs.size(); ++n) {
    const auto& [active, offset, normal] = springs[n];
    if (!active) continue;
    const std::ptrdiff_t i = 3 * std::ptrdiff_t{vertices_[n]};
    const double depth = std::abs(normal.dot(Eigen::Map<const Vec3>(x + i)) - offset);
    for (double& length : lengths.subspan(static_cast<std::size_t>(i), 3)) {
      length = std::max(length, depth);
    }
  }
}

// The midpoint's gradient, exact for quadratic E.
void RepulsionSprings::discrete_gradient(const DiscreteEvaluation& at) const {
  if (!at.memory) return;
  const auto& springs = static_cast<const Memory*>(at.memory)->springs;
  for (std::size_t n = 0; n < springs.size(); ++n) {
    const auto& [active, offset, normal] = springs[n];
    if (!active) continue;
    const std::ptrdiff_t i = 3 * std::ptrdiff_t{vertices_[n]};
    const double depth = normal.dot(Eigen::Map<const Vec3>(at.x0 + i)) - offset +
                         0.5 * normal.dot(Eigen::Map<const Vec3>(at.d + i));
    Eigen::Map<Vec3>(at.gradient + i) += (at.gradient_weight * 2 * k_ * depth) * normal;
  }
}

}  // namespace lilyan
