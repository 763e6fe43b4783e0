#include "lilyan/contact/obstacle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/difference.hpp"

namespace lilyan::obstacle_test {
namespace {

const std::vector<ObstacleShape> kShapes{
    PlaneShape{.point = Vec3(0.1, 0.2, 0.3), .normal = Vec3(1, 2, -1).normalized()},
    SphereShape{.center = Vec3(0.2, -0.1, 0.3), .radius = 0.7},
    BoxShape{.center = Vec3(0.1, 0, -0.2), .half = Vec3(0.5, 0.3, 0.8)},
    CapsuleShape{.from = Vec3(-0.5, 0.1, 0), .to = Vec3(0.6, 0.3, 0.2), .radius = 0.25}};

TEST(ObstacleShape, DerivativesMatchDifferences) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (const ObstacleShape& shape : kShapes) {
    for (int k = 0; k < 200; ++k) {
      const Vec3 x(uniform(random), uniform(random), uniform(random));
      const SignedDistance d = signed_distance(shape, x);
      EXPECT_NEAR(d.normal.norm(), 1, 1e-14);
      for (int i = 0; i < 3; ++i) {
        const Vec3 e = Vec3::Unit(i);
        // Regions of a box or capsule meet in surfaces; a difference across one is not a
        // derivative.
        const double step = 1e-5;
        const auto normal = [&](double s) { return signed_distance(shape, x + s * e).normal; };
        if ((normal(2 * step) - normal(-2 * step)).norm() > 0.5) continue;
        EXPECT_NEAR(d.normal[i],
                    test::difference(
                        [&](double s) { return signed_distance(shape, x + s * e).value; }, step),
                    1e-6);
        const Vec3 change = test::difference(normal, step);
        const Vec3 before = signed_distance(shape, x - 2 * step * e).curvature.col(i);
        const Vec3 after = signed_distance(shape, x + 2 * step * e).curvature.col(i);
        if ((before - after).norm() > 1e-2) continue;
        EXPECT_LE((d.curvature.col(i) - change).norm(), 1e-4) << k << " " << x.transpose();
      }
    }
  }
}

TEST(ObstacleShape, ChangesNoFasterThanThePointMoves) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (const ObstacleShape& shape : kShapes) {
    for (int k = 0; k < 500; ++k) {
      const Vec3 a(uniform(random), uniform(random), uniform(random));
      const Vec3 b(uniform(random), uniform(random), uniform(random));
      EXPECT_LE(std::abs(signed_distance(shape, a).value - signed_distance(shape, b).value),
                (a - b).norm() * (1 + 1e-12));
    }
  }
}

TEST(ObstacleShape, KnownDistances) {
  EXPECT_DOUBLE_EQ(signed_distance(PlaneShape{}, Vec3(5, -2, 1)).value, -2);
  EXPECT_DOUBLE_EQ(signed_distance(SphereShape{.radius = 2}, Vec3(0, 3, 4)).value, 3);
  EXPECT_DOUBLE_EQ(signed_distance(BoxShape{}, Vec3(4, 5, 0)).value, 5);  // edge
  EXPECT_DOUBLE_EQ(signed_distance(BoxShape{}, Vec3(0.5, 0, 0)).value, -0.5);
  const CapsuleShape capsule{.from = Vec3::Zero(), .to = Vec3(2, 0, 0), .radius = 1};
  EXPECT_DOUBLE_EQ(signed_distance(capsule, Vec3(1, 3, 0)).value, 2);
  EXPECT_DOUBLE_EQ(signed_distance(capsule, Vec3(5, 4, 0)).value, 4);
}

// A body that sits exactly on a centre or an axis must be pushed somewhere, not to nan.
TEST(ObstacleShape, CentresHaveANormal) {
  for (const SignedDistance& d :
       {signed_distance(SphereShape{}, Vec3::Zero()),
        signed_distance(CapsuleShape{.from = Vec3::Zero(), .to = Vec3(2, 0, 0)}, Vec3(1, 0, 0)),
        signed_distance(BoxShape{}, Vec3::Zero())}) {
    EXPECT_DOUBLE_EQ(d.value, -1);
    EXPECT_NEAR(d.normal.norm(), 1, 1e-14);
    EXPECT_TRUE(d.curvature.allFinite());
  }
}

}  // namespace
}  // namespace lilyan::obstacle_test
