#include "lilyan/step/prescribed_work.hpp"

#include <array>

#include "lilyan/model/sums.hpp"
#include "lilyan/step/path_nodes.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostNodes = PathNodes::kMost;

}  // namespace

double prescribed_work(const World& world, const Vector& x0, const Vector& d,
                       std::span<const Node> rule, Vector& scratch) {
  if (world.system.motions().empty()) return 0;
  std::array<WeightedNode, kMostNodes> all;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    all[i] = {.theta = rule[i].theta, .gradient = rule[i].weight};
  }
  const auto nodes = std::span(all).first(rule.size());
  const PathMeanWeights mean{.weight = 1};
  scratch.setZero();
  for (const auto& energy : world.system.energies()) {
    (void)energy->evaluate({.x0 = x0.data(),
                            .d = d.data(),
                            .nodes = nodes,
                            .want_value = false,
                            .gradient = scratch.data(),
                            .mean = &mean,
                            .memory = world.memory_of(*energy)});
  }
  return prescribed_product(world.system, scratch, d);
}

double prescribed_work(const World& world, const Vector& x0, const Vector& d, Vector& scratch) {
  constexpr std::array<Node, 3> simpson{{{0, 1.0 / 6}, {0.5, 4.0 / 6}, {1, 1.0 / 6}}};
  return prescribed_work(world, x0, d, simpson, scratch);
}

}  // namespace lilyan
