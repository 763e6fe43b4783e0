#include "lilyan/physics/energies.hpp"

#include <gtest/gtest.h>

#include "lilyan/assemble/assembler.hpp"
#include "support/body.hpp"

namespace lilyan::test::gravity_test {
namespace {

TEST(Gravity, ValueAndGradientByHand) {
  const Gravity gravity({0, -10, 2}, {2, 3});
  const std::vector<double> x0 = {1, 2, 3, 4, 5, 6};
  const std::vector<double> d = {0, 1, 0, 0, 0, 1};
  std::vector<double> g(6, 100.0);
  const std::array<WeightedNode, 2> nodes{{{0, 1, 1, 0}, {0.5, 2, 3, 0}}};
  const double value =
      gravity.evaluate({.x0 = x0.data(), .d = d.data(), .nodes = nodes, .gradient = g.data()});
  // E(x) = 20 y₀ − 4 z₀ + 30 y₁ − 6 z₁: 40 − 12 + 150 − 36 = 142; E(d) = 20 − 6 = 14.
  EXPECT_DOUBLE_EQ(value, 142 + 2 * (142 + 0.5 * 14));
  const std::vector<double> expected = {100, 100 + 4 * 20, 100 - 4 * 4,
                                        100, 100 + 4 * 30, 100 - 4 * 6};
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(g[i], expected[i]);
}

TEST(Gravity, WithoutDisplacementAndWithoutValue) {
  const Gravity gravity({0, -10, 0}, {2});
  const std::vector<double> x0 = {1, 2, 3};
  const std::array<WeightedNode, 1> nodes{{{1, 1, 1, 0}}};
  EXPECT_DOUBLE_EQ(gravity.evaluate({.x0 = x0.data(), .nodes = nodes}), 40);
  EXPECT_EQ(gravity.evaluate({.x0 = x0.data(), .nodes = nodes, .want_value = false}), 0);
}

TEST(Gravity, BreaksTheSymmetriesUnlessItIsZero) {
  EXPECT_FALSE(Gravity({0, -1, 0}, {1}).translation_invariant());
  EXPECT_FALSE(Gravity({0, -1, 0}, {1}).rotation_invariant());
  EXPECT_TRUE(Gravity({0, 0, 0}, {1}).translation_invariant());
  EXPECT_EQ(Gravity({0, -1, 0}, {1}).kind(), EnergyKind::gravity);
}

TEST(Gravity, FixedVerticesFeelNone) {
  const Body body({.gravity = {0, -9.81, 0}, .fixed = {3}});
  const std::array<WeightedNode, 1> here{{{0, 1, 1, 1}}};
  Vector g(body.rest.size());
  const EnergyByKind e = Assembler(body.system).values_and_gradient(body.rest, nullptr, here, g);
  EXPECT_NEAR(e[0], 0, 1e-15);
  EXPECT_NEAR(e[1], 0, 1e-14);  // the block is centred
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 force = g.segment<3>(3 * i);
    const double weight = i == 3 ? 0 : 9.81 * body.system.vertex_masses()[i];
    EXPECT_NEAR(force[1], weight, 1e-14) << i;
  }
  EXPECT_FALSE(body.system.translation_invariant());
}

}  // namespace
}  // namespace lilyan::test::gravity_test
