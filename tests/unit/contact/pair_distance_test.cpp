// Distances of pairs of primitives: against the best of many points, their derivatives against differences, and what
// is said about their motion.
#include "lilyan/contact/pair_distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "support/difference.hpp"

namespace lilyan::test::pair_distance_test {
namespace {

constexpr PairKind kRound[] = {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge};

// (Vertices that repeat the last one move with it.)
PairCoordinates random_pair(PairKind kind, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  PairCoordinates z;
  for (double& e : z) e = uniform(random);
  for (int i = size_of(kind); i < 4; ++i) {
    z.segment<3>(3 * i) = z.segment<3>(3 * size_of(kind) - 3);
  }
  return z;
}

Vec3 vertex(const PairCoordinates& z, int i) { return z.segment<3>(3 * i); }

// Points all over the primitive that vertices first … last span.
std::vector<Vec3> points_of(const PairCoordinates& z, int first, int last) {
  constexpr int kCuts = 24;
  std::vector<Vec3> points;
  const Vec3 a = vertex(z, first);
  if (first == last) return {a};
  for (int i = 0; i <= kCuts; ++i) {
    const Vec3 along = (vertex(z, first + 1) - a) * (static_cast<double>(i) / kCuts);
    if (last == first + 1) points.emplace_back(a + along);
    for (int k = 0; last == first + 2 && k <= kCuts - i; ++k) {
      points.emplace_back(a + along + (vertex(z, last) - a) * (static_cast<double>(k) / kCuts));
    }
  }
  return points;
}

double smallest(PairKind kind, const PairCoordinates& z) {
  const bool edges = kind == PairKind::edge_edge;
  const std::vector<Vec3> one = points_of(z, 0, edges ? 1 : 0);
  const std::vector<Vec3> other = points_of(z, edges ? 2 : 1, size_of(kind) - 1);
  double best = std::numeric_limits<double>::infinity();
  for (const Vec3& p : one) {
    for (const Vec3& q : other) best = std::min(best, (p - q).norm());
  }
  return best;
}

int features(PairKind kind) {
  return kind == PairKind::point_triangle ? 7 : kind == PairKind::edge_edge ? 9 : 3;
}

TEST(PairDistance, IsTheSmallestOne) {
  std::mt19937 random(3);
  for (const PairKind kind : kRound) {
    std::map<int, int> seen;
    for (int k = 0; k < 400; ++k) {
      const PairCoordinates z = random_pair(kind, random);
      const double best = smallest(kind, z);
      const double distance = pair_distance(kind, z, Vec3::Zero());
      EXPECT_LE(distance, best + 1e-14);
      EXPECT_GE(distance, best - 0.1);
      const PairNearest nearest = nearest_of(kind, z);
      EXPECT_NEAR(offset(nearest, z).norm(), distance, 1e-14);
      ++seen[nearest.feature];
      // The nearest points are means of the vertices of either primitive.
      const int of_one = kind == PairKind::edge_edge ? 2 : 1;
      double one = 0;
      double other = 0;
      for (int i = 0; i < 4; ++i) {
        (i < of_one ? one : other) += nearest.weight[static_cast<std::size_t>(i)];
      }
      EXPECT_NEAR(one, 1, 1e-15);
      EXPECT_NEAR(other, -1, 1e-15);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(features(kind)));
  }
}

// Edges that are parallel to the last digit, or nearly, beside and behind each other, and edges without length.
TEST(PairDistance, OfParallelEdges) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 300; ++k) {
    PairCoordinates z = random_pair(PairKind::edge_edge, random);
    const double bend = std::pow(10.0, -20 + k % 20);
    const Vec3 across(uniform(random), uniform(random), uniform(random));
    z.tail<3>() = vertex(z, 2) + 2 * uniform(random) * (vertex(z, 1) - vertex(z, 0));
    if (k % 3 > 0) z.tail<3>() += bend * across;
    if (k % 7 == 0) z.tail<3>() = vertex(z, 2);
    const double best = smallest(PairKind::edge_edge, z);
    const double distance = pair_distance(PairKind::edge_edge, z, Vec3::Zero());
    EXPECT_LE(distance, best + 1e-9) << bend;
    EXPECT_GE(distance, best - 0.1) << bend;
  }
}

TEST(PairDistance, OfAPointAndAPlaneHasASign) {
  PairCoordinates z = PairCoordinates::Zero();
  z.head<3>() = Vec3(3, 1, -2);
  for (int i = 1; i < 4; ++i) z.segment<3>(3 * i) = Vec3(7, 1.5, 4);
  EXPECT_EQ(pair_distance(PairKind::point_plane, z, Vec3::UnitY()), -0.5);
  const PairDistance d = pair_distance_derivatives(PairKind::point_plane, z, Vec3::UnitY(), true);
  EXPECT_EQ(d.value, -0.5);
  PairCoordinates gradient = PairCoordinates::Zero();
  gradient[1] = 1;
  gradient[4] = -1;
  EXPECT_EQ(d.gradient, gradient);
  EXPECT_TRUE(d.hessian.isZero(0));
}

// Far enough from where other formulas hold, from touching and from edges that are parallel.
bool is_regular(PairKind kind, const PairCoordinates& z, double margin) {
  const int feature = nearest_of(kind, z).feature;
  std::mt19937 random(9);
  for (int k = 0; k < 12; ++k) {
    const PairCoordinates there = z + margin * random_pair(kind, random);
    if (nearest_of(kind, there).feature != feature) return false;
  }
  const auto sine = [&](int i, int k, int l, int m) {
    const Vec3 e = vertex(z, k) - vertex(z, i);
    const Vec3 f = vertex(z, m) - vertex(z, l);
    return e.cross(f).norm() / (e.norm() * f.norm());
  };
  const bool flat = (kind == PairKind::edge_edge && sine(0, 1, 2, 3) < 0.2) ||
                    (kind == PairKind::point_triangle && sine(1, 2, 1, 3) < 0.2);
  return !flat && pair_distance(kind, z, Vec3::Zero()) > 0.2;
}

TEST(PairDistance, DerivativesOfAllFeatures) {
  std::mt19937 random(5);
  constexpr double kStep = 1e-3;
  constexpr int kOfEach = 5;
  for (const PairKind kind : kRound) {
    std::map<int, int> seen;
    for (int k = 0; k < 20000; ++k) {
      const PairCoordinates z = random_pair(kind, random);
      const PairDistance d = pair_distance_derivatives(kind, z, Vec3::Zero(), true);
      if (seen[d.feature] >= kOfEach || !is_regular(kind, z, 0.02)) continue;
      ++seen[d.feature];
      EXPECT_NEAR(d.value, pair_distance(kind, z, Vec3::Zero()), 1e-15);
      EXPECT_EQ(d.gradient, pair_distance_derivatives(kind, z, Vec3::Zero(), false).gradient);
      EXPECT_LE((d.hessian - d.hessian.transpose()).norm(), 1e-13 * d.hessian.norm());
      const PairCoordinates way = random_pair(kind, random).normalized();
      const auto at = [&](double s) { return PairCoordinates(z + s * way); };
      const double slope =
          difference([&](double s) { return pair_distance(kind, at(s), Vec3::Zero()); }, kStep);
      EXPECT_NEAR(d.gradient.dot(way), slope, 1e-9) << d.feature;
      const PairCoordinates change = difference(
          [&](double s) {
            return pair_distance_derivatives(kind, at(s), Vec3::Zero(), false).gradient;
          },
          kStep);
      EXPECT_LE((d.hessian * way - change).norm(), 1e-7 * (1 + change.norm())) << d.feature;
    }
    int enough = 0;
    for (const auto& [feature, count] : seen) enough += count == kOfEach ? 1 : 0;
    EXPECT_EQ(enough, features(kind));
  }
}

TEST(PairDistance, OfWhatTouchesHasNoDerivatives) {
  PairCoordinates z;
  z << 0.25, 0.25, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const PairDistance d = pair_distance_derivatives(PairKind::point_triangle, z, Vec3::Zero(), true);
  EXPECT_EQ(d.value, 0);
  EXPECT_TRUE(d.gradient.isZero(0));
  EXPECT_TRUE(d.hessian.isZero(0));
}

TEST(PairDistance, ChangesNoMoreThanTheMotion) {
  std::mt19937 random(6);
  for (const PairKind kind : kRound) {
    double closest = 0;
    for (int k = 0; k < 3000; ++k) {
      const PairCoordinates z = random_pair(kind, random);
      const PairCoordinates d = (k % 2 == 0 ? 0.05 : 2) * random_pair(kind, random);
      const double most = relative_motion(kind, d);
      const double change =
          std::abs(pair_distance(kind, z + d, Vec3::Zero()) - pair_distance(kind, z, Vec3::Zero()));
      EXPECT_LE(change, most + 1e-14);
      closest = std::max(closest, change / most);
    }
    EXPECT_GT(closest, 0.9);  // the bound is reached
    // What moves together does not move against each other.
    PairCoordinates together;
    for (int i = 0; i < 4; ++i) together.segment<3>(3 * i) = Vec3(1, 2, 3);
    EXPECT_EQ(relative_motion(kind, together), 0);
    // Any vertex of the one primitive against any of the other.
    const int of_one = kind == PairKind::edge_edge ? 2 : 1;
    for (int i = 0; i < of_one; ++i) {
      for (int j = of_one; j < size_of(kind); ++j) {
        PairCoordinates apart = PairCoordinates::Zero();
        apart[3 * i] = -1;
        apart[3 * j] = 2;
        EXPECT_EQ(relative_motion(kind, apart), 3);
      }
    }
  }
}

// The velocity that friction sees.
Vec3 sliding(PairKind kind, const PairCoordinates& z, const PairCoordinates& v) {
  const PairNearest nearest = nearest_of(kind, z);
  const auto turn = gap_turning(kind, z, nearest);
  Vec3 sum = offset(nearest, v);
  for (int i = 0; i < 4; ++i) sum += turn[static_cast<std::size_t>(i)] * vertex(v, i);
  return sum;
}

PairCoordinates rotation(const PairCoordinates& z, const Vec3& spin) {
  PairCoordinates v;
  for (int i = 0; i < 4; ++i) v.segment<3>(3 * i) = spin.cross(vertex(z, i));
  return v;
}

TEST(GapTurning, NothingSlidesInARigidMotion) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const PairKind kind : kRound) {
    std::map<int, int> seen;
    for (int k = 0; k < 1000; ++k) {
      const PairCoordinates z = random_pair(kind, random);
      if (kind != PairKind::point_edge && !is_regular(kind, z, 0)) continue;
      Vec3 spin(uniform(random), uniform(random), uniform(random));
      if (kind == PairKind::point_edge) {
        // An edge by itself cannot tell how it turns about itself.
        const Vec3 e = (vertex(z, 2) - vertex(z, 1)).normalized();
        spin -= e.dot(spin) * e;
      }
      ++seen[nearest_of(kind, z).feature];
      EXPECT_LE(sliding(kind, z, rotation(z, spin)).norm(), 1e-12);
      PairCoordinates together;
      for (int i = 0; i < 4; ++i) together.segment<3>(3 * i) = spin;
      EXPECT_LE(sliding(kind, z, together).norm(), 1e-12);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(features(kind)));
  }
}

// A point that moves along a triangle at rest slides with its velocity, and an edge along another.
TEST(GapTurning, WhatMovesAlongSlides) {
  PairCoordinates z;
  z << 0.25, 0.25, 0.1, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  PairCoordinates v = PairCoordinates::Zero();
  v.head<3>() = Vec3(2, -3, 0);
  EXPECT_LE((sliding(PairKind::point_triangle, z, v) - Vec3(2, -3, 0)).norm(), 1e-15);
  z << -1, 0, 0.1, 1, 0, 0.1, 0, -1, 0, 0, 1, 0;
  v.segment<3>(3) = v.head<3>();
  EXPECT_LE((sliding(PairKind::edge_edge, z, v) - Vec3(2, -3, 0)).norm(), 1e-15);
}

// Needles and parallel edges have no normal, planes and points carry nothing.
TEST(GapTurning, IsZeroWithoutANormal) {
  PairCoordinates z;
  z << 0.3, 0.1, 0.4, 0, 0, 0, 1, 0, 0, 2, 0, 0;
  const auto is_zero = [&](PairKind kind) {
    const auto turn = gap_turning(kind, z, nearest_of(kind, z));
    return std::ranges::all_of(turn, [](const auto& m) { return m.isZero(0); });
  };
  EXPECT_TRUE(is_zero(PairKind::point_triangle));
  EXPECT_TRUE(is_zero(PairKind::point_plane));
  EXPECT_FALSE(is_zero(PairKind::point_edge));
  z << 0, 0, 0.1, 1, 0, 0.1, 0.2, 0, 0, 0.8, 0, 0;
  EXPECT_TRUE(is_zero(PairKind::edge_edge));
}

}  // namespace
}  // namespace lilyan::test::pair_distance_test
