#include "lilyan/contact/distance.hpp"

#include <gtest/gtest.h>

#include <random>

#include "lilyan/numeric/jet.hpp"
#include "support/difference.hpp"

namespace lilyan::distance_test {
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

// The distance, squared, to the feature's line or plane.
template <class T>
T squared_distance(Nearest feature, const std::array<T, 12>& z) {
  const auto point = [&](std::size_t i) { return Point3<T>{z[3 * i], z[3 * i + 1], z[3 * i + 2]}; };
  const auto from_line = [&](std::size_t i, std::size_t j) {
    const Point3<T> edge = minus(point(j), point(i));
    const Point3<T> area = cross(minus(point(0), point(i)), edge);
    return dot(area, area) / dot(edge, edge);
  };
  const auto from_point = [&](std::size_t i) {
    const Point3<T> offset = minus(point(0), point(i));
    return dot(offset, offset);
  };
  switch (feature) {
    case Nearest::edge_ab: return from_line(1, 2);
    case Nearest::edge_bc: return from_line(2, 3);
    case Nearest::edge_ca: return from_line(3, 1);
    case Nearest::corner_a: return from_point(1);
    case Nearest::corner_b: return from_point(2);
    case Nearest::corner_c: return from_point(3);
    case Nearest::face: break;
  }
  const Point3<T> normal = cross(minus(point(2), point(1)), minus(point(3), point(1)));
  const T height = dot(minus(point(0), point(1)), normal);
  return height * height / dot(normal, normal);
}

template <class J>
std::array<J, 12> variables(const PointTriangle& z) {
  std::array<double, 12> at{};
  for (int i = 0; i < 12; ++i) at[static_cast<std::size_t>(i)] = z[i];
  return J::variables(at);
}

TEST(PointTriangle, DerivativesAreThoseOfAutomaticDifferentiation) {
  std::mt19937 random(7);
  std::array<int, 7> seen{};
  for (int k = 0; k < 2000; ++k) {
    const PointTriangle z = random_pair(random);
    const PointTriangleDistance d = point_triangle_derivatives(z, true);
    if (d.value < 1e-3) continue;
    const Nearest feature = nearest_point(z).feature;
    ++seen[static_cast<std::size_t>(feature)];
    using J = Jet2<12>;
    const J expected = sqrt(squared_distance(feature, variables<J>(z)));
    PointTriangle gradient;
    Eigen::Matrix<double, 12, 12> hessian;
    for (int i = 0; i < 12; ++i) {
      gradient[i] = expected.gradient[static_cast<std::size_t>(i)];
      for (int j = 0; j < 12; ++j) hessian(i, j) = expected.hessian(i, j);
    }
    EXPECT_NEAR(d.value, expected.value, 1e-14);
    EXPECT_LE((d.gradient - gradient).norm(), 1e-12 / d.value);
    EXPECT_LE((d.hessian - hessian).norm(), 1e-11 * hessian.norm() / d.value);
  }
  for (const int count : seen) EXPECT_GT(count, 10);
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

}  // namespace
}  // namespace lilyan::distance_test
