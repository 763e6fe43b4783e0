#include "lilyan/lagrangian/automatic.hpp"

#include <gtest/gtest.h>

#include "lilyan/base/error.hpp"
#include "support/lagrangians.hpp"

namespace lilyan::structure_test {
namespace {

using test::Charge, test::DoublePendulum, test::ShakenPendulum, test::TwoWells;

TEST(LagrangianStructure, ConstantMassesAreFound) {
  const auto s = lagrangian_structure<2>(TwoWells{});
  EXPECT_TRUE(s.separable);
  EXPECT_EQ(s.mass, (std::vector{2.0, 3.0}));
  EXPECT_FALSE(s.depends_on_time);
  EXPECT_EQ(s.cyclic, (std::vector<char>{0, 0}));
}

TEST(LagrangianStructure, OtherKineticEnergiesAreNotSeparable) {
  EXPECT_FALSE(lagrangian_structure<2>(DoublePendulum{}).separable);
  EXPECT_FALSE(lagrangian_structure<2>(Charge{}).separable);
  const auto quartic = [](const auto&, const auto& v) { return v[0] * v[0] * v[0] * v[0]; };
  EXPECT_FALSE(lagrangian_structure<1>(quartic).separable);
  const auto coupled = [](const auto&, const auto& v) {
    return v[0] * v[0] + v[1] * v[1] + 0.1 * v[0] * v[1];
  };
  EXPECT_FALSE(lagrangian_structure<2>(coupled).separable);
  const auto linear = [](const auto&, const auto& v) { return v[0] * v[0] + v[0]; };
  EXPECT_FALSE(lagrangian_structure<1>(linear).separable);
  const auto root = [](const auto&, const auto& v) { return sqrt(1.0 + v[0] * v[0]); };
  EXPECT_FALSE(lagrangian_structure<1>(root).separable);
  const auto negative = [](const auto&, const auto& v) { return -v[0] * v[0]; };
  EXPECT_FALSE(lagrangian_structure<1>(negative).separable);
}

TEST(LagrangianStructure, SquaresOfSumsAreExpanded) {
  // ½(a+b)² + ½(a−b)² = a² + b²
  const auto f = [](const auto& q, const auto& v) {
    const auto sum = v[0] + v[1] + 0.0;
    const auto difference = v[0] - v[1];
    return 0.5 * sum * sum + pow(difference, 2) / 2.0 - exp(q[1]);
  };
  const auto s = lagrangian_structure<2>(f);
  EXPECT_TRUE(s.separable);
  EXPECT_EQ(s.mass, (std::vector{2.0, 2.0}));
  EXPECT_EQ(s.cyclic, (std::vector<char>{1, 0}));
}

TEST(LagrangianStructure, TimeAndCyclicCoordinates) {
  const auto shaken = lagrangian_structure<1>(ShakenPendulum{});
  EXPECT_TRUE(shaken.depends_on_time);
  EXPECT_FALSE(shaken.separable);
  // Polar coordinates: the angle does not appear.
  const auto polar = [](const auto& q, const auto& v) {
    return 0.5 * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) + 1.0 / q[0];
  };
  EXPECT_EQ(lagrangian_structure<2>(polar).cyclic, (std::vector<char>{0, 1}));
}

TEST(LagrangianSystem, SeparableOnesGetMassesAndAPotential) {
  const auto separable = lagrangian_system<2>(TwoWells{});
  EXPECT_EQ(separable->lagrangian(), nullptr);
  EXPECT_EQ(separable->energies().size(), 1u);
  const auto general = lagrangian_system<2>(DoublePendulum{});
  ASSERT_NE(general->lagrangian(), nullptr);
  EXPECT_THROW(general->fix(0), Error);
}

}  // namespace
}  // namespace lilyan::structure_test
