#include "lilyan/contact/proximity.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/difference.hpp"

namespace lilyan::proximity_test {
namespace {

PointTriangle random_pair(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  PointTriangle z;
  for (double& e : z) e = uniform(random);
  return z;
}

// Against the best of many points of the triangle.
TEST(PointTriangle, IsTheSmallestDistance) {
  std::mt19937 random(5);
  std::array<int, 7> seen{};
  for (int k = 0; k < 300; ++k) {
    const PointTriangle z = random_pair(random);
    const NearestPoint nearest = nearest_point(z);
    ++seen[static_cast<std::size_t>(nearest.feature)];
    const double distance = point_triangle_distance(z);
    double best = 1e9;
    constexpr int kCuts = 60;
    for (int i = 0; i <= kCuts; ++i) {
      for (int j = 0; j <= kCuts - i; ++j) {
        const double a = static_cast<double>(i) / kCuts;
        const double b = static_cast<double>(j) / kCuts;
        const Vec3 q = a * z.segment<3>(3) + b * z.segment<3>(6) + (1 - a - b) * z.segment<3>(9);
        best = std::min(best, (z.segment<3>(0) - q).norm());
      }
    }
    EXPECT_LE(distance, best + 1e-14);
    EXPECT_NEAR(distance, best, 0.05);
    EXPECT_NEAR(point_triangle_derivatives(z, true).value, distance, 1e-13);
    EXPECT_NEAR(point_triangle_derivatives(z, false).value, distance, 1e-13);
  }
  for (const int count : seen) EXPECT_GT(count, 0);  // every feature came up
}

TEST(PointTriangle, DerivativesMatchDifferences) {
  std::mt19937 random(6);
  for (int k = 0; k < 100; ++k) {
    const PointTriangle z = random_pair(random);
    const PointTriangleDistance d = point_triangle_derivatives(z, true);
    if (d.value < 0.1) continue;
    const PointTriangle direction = random_pair(random).normalized();
    const double step = 1e-5;
    if (nearest_point(z + 3 * step * direction).feature !=
        nearest_point(z - 3 * step * direction).feature) {
      continue;
    }
    EXPECT_NEAR(d.gradient.dot(direction),
                test::difference(
                    [&](double s) { return point_triangle_distance(z + s * direction); }, step),
                1e-8);
    const PointTriangle change = test::difference(
        [&](double s) { return point_triangle_derivatives(z + s * direction, false).gradient; },
        step);
    EXPECT_LE((d.hessian * direction - change).norm(), 1e-6 * (1 + change.norm()));
  }
}

TEST(PointTriangle, TouchingIsNotNan) {
  PointTriangle z;
  z << 0.2, 0.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const PointTriangleDistance d = point_triangle_derivatives(z, true);
  EXPECT_EQ(d.value, 0);
  EXPECT_TRUE(d.gradient.allFinite());
  EXPECT_TRUE(d.hessian.allFinite());
}

TEST(SpatialHash, FindsWhatTryingAllFinds) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> place(-3, 3);
  std::exponential_distribution<double> size(4);
  std::vector<Box> boxes;
  for (int k = 0; k < 400; ++k) {
    const Vec3 low(place(random), place(random), place(random));
    boxes.emplace_back(low, low + Vec3(size(random), size(random), size(random)));
  }
  boxes.emplace_back(Vec3(-100, -100, -100), Vec3(100, 0, 100));  // as large as a floor
  SpatialHash hash;
  std::vector<int> found;
  for (const double cell : {0.05, 0.3, 5.0}) {
    hash.build(boxes, cell);
    for (int k = 0; k < 200; ++k) {
      const Box query = k % 50 == 0 ? Box(Vec3(-50, -50, -50), Vec3(50, 50, 50))
                                    : boxes[static_cast<std::size_t>(2 * k)];
      hash.find(query, found);
      std::vector<int> expected;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        if (boxes[b].intersects(query)) expected.push_back(static_cast<int>(b));
      }
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace lilyan::proximity_test
