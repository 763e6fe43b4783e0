// The barrier by hand and by differences; what it does to pairs of all kinds.
#include "lilyan/contact/barrier.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/difference.hpp"

namespace lilyan::test::barrier_test {
namespace {

TEST(Barrier, ByHand) {
  // u = 1/4, κ = 2, d̂ = 0.1
  const BarrierValue b = barrier(0.05, 0.1, 2);
  EXPECT_NEAR(b.value, 2 * 27.0 / 16, 1e-14);
  EXPECT_NEAR(b.first, -2 * 13.5 / 0.1, 1e-11);
  EXPECT_NEAR(b.second, 2 * 99 / 0.01, 1e-9);
  for (const double gap : {0.0, -0.01, -3.0}) {
    EXPECT_EQ(barrier(gap, 0.1, 2).value, std::numeric_limits<double>::infinity());
  }
  for (const double gap : {0.1, 0.2}) {
    const BarrierValue none = barrier(gap, 0.1, 2);
    EXPECT_EQ(none.value, 0);
    EXPECT_EQ(none.first, 0);
    EXPECT_EQ(none.second, 0);
  }
}

TEST(Barrier, DerivativesAreThoseOfTheValue) {
  for (const double gap : {0.003, 0.02, 0.05, 0.09, 0.098}) {
    const double step = 1e-3 * gap;
    const auto of = [&](double BarrierValue::*what) {
      return difference([&](double s) { return barrier(gap + s, 0.1, 7).*what; }, step);
    };
    const BarrierValue b = barrier(gap, 0.1, 7);
    EXPECT_NEAR(b.first, of(&BarrierValue::value), 1e-8 * std::abs(b.first));
    EXPECT_NEAR(b.second, of(&BarrierValue::first), 1e-8 * b.second);
  }
}

// With 1 − u = 2δ near the end: (2δ)³ κ and its derivatives.
TEST(Barrier, BeginsWithTwoContinuousDerivatives) {
  for (const double delta : {1e-3, 1e-4, 1e-5}) {
    const BarrierValue b = barrier(0.1 * (1 - delta), 0.1, 1);
    EXPECT_NEAR(b.value / (8 * delta * delta * delta), 1, 5 * delta);
    EXPECT_NEAR(b.first / (-24 * delta * delta / 0.1), 1, 5 * delta);
    EXPECT_NEAR(b.second / (48 * delta / 0.01), 1, 5 * delta);
  }
}

PairCoordinates coordinates(const std::vector<Vec3>& points) {
  PairCoordinates z;
  for (int i = 0; i < 4; ++i) {
    z.segment<3>(3 * i) = points[std::min(static_cast<std::size_t>(i), points.size() - 1)];
  }
  return z;
}

PairCoordinates random_way(PairKind kind, std::mt19937& random) {
  std::normal_distribution<double> normal;
  PairCoordinates d;
  for (double& e : d) e = normal(random);
  for (int i = size_of(kind); i < 4; ++i) {
    d.segment<3>(3 * i) = d.segment<3>(3 * size_of(kind) - 3);
  }
  return d.normalized();
}

// Energy, force, Hessian and course of a pair are derivatives of each other.
void expect_derivatives(const BarrierPair& pair, const PairCoordinates& z, double step) {
  const PairBarrier barrier(pair);
  const LocalDerivatives<12> e = barrier.derivatives(z, true);
  ASSERT_GT(e.value, 0);
  EXPECT_NEAR(e.value, barrier.energy(z, barrier.gap(z)), 1e-12 * e.value);
  const LocalDerivatives<12> plain = barrier.derivatives(z, false);
  EXPECT_EQ(plain.value, e.value);
  EXPECT_LE((plain.gradient - e.gradient).norm(), 1e-14 * e.gradient.norm());
  EXPECT_LE((e.hessian - e.hessian.transpose()).norm(), 1e-12 * e.hessian.norm());
  std::mt19937 random(11);
  for (int k = 0; k < 6; ++k) {
    const PairCoordinates way = random_way(pair.kind, random);
    const auto at = [&](double s) { return PairCoordinates(z + s * way); };
    const double slope =
        difference([&](double s) { return barrier.energy(at(s), barrier.gap(at(s))); }, step);
    EXPECT_NEAR(e.gradient.dot(way), slope, 1e-6 * e.gradient.norm());
    const PairCoordinates change =
        difference([&](double s) { return barrier.derivatives(at(s), false).gradient; }, step);
    EXPECT_LE((e.hessian * way - change).norm(), 1e-6 * e.hessian.norm());
    const PairBarrier::Course course = barrier.course(z, way);
    EXPECT_EQ(course.gap, barrier.gap(z));
    const double speed = difference([&](double s) { return barrier.gap(at(s)); }, step);
    EXPECT_NEAR(course.slope, speed, 1e-7);
  }
}

constexpr double kReach = 0.1;

BarrierPair pair_of(PairKind kind) {
  return {.kind = kind, .vertex = {0, 1, 2, 3}, .reach = kReach, .stiffness = 3};
}

const PairCoordinates kOverFace = coordinates({{0.3, 0.2, 0.05}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
const PairCoordinates kCrossed =
    coordinates({{-1, 0.1, 0.06}, {1, -0.1, 0.05}, {0.1, -1, 0}, {-0.1, 1, 0}});
const PairCoordinates kOverEdge = coordinates({{0.3, 0.04, 0.03}, {0, 0, 0}, {1, 0, 0}});

TEST(PairBarrier, DerivativesOfAllKinds) {
  expect_derivatives(pair_of(PairKind::point_triangle), kOverFace, 1e-5);
  expect_derivatives(pair_of(PairKind::edge_edge), kCrossed, 1e-5);
  expect_derivatives(pair_of(PairKind::point_edge), kOverEdge, 1e-5);
  BarrierPair plane = pair_of(PairKind::point_plane);
  plane.normal = Vec3(0.36, 0.48, 0.8);
  expect_derivatives(plane, coordinates({0.06 * plane.normal + Vec3(0.8, -0.6, 0), {0, 0, 0}}),
                     1e-5);
}

TEST(PairBarrier, ThicknessIsKeptOff) {
  BarrierPair pair = pair_of(PairKind::point_edge);
  pair.thickness = 0.02;
  EXPECT_NEAR(PairBarrier(pair).gap(kOverEdge), 0.03, 1e-15);
  expect_derivatives(pair, kOverEdge, 1e-5);
  pair.thickness = 0.05;
  EXPECT_EQ(PairBarrier(pair).energy(kOverEdge, PairBarrier(pair).gap(kOverEdge)),
            std::numeric_limits<double>::infinity());
}

TEST(PairBarrier, InsideOfAContainer) {
  BarrierPair pair = pair_of(PairKind::point_edge);
  pair.inside = true;
  pair.thickness = 0.11;  // the radius
  EXPECT_NEAR(PairBarrier(pair).gap(kOverEdge), 0.06, 1e-15);
  expect_derivatives(pair, kOverEdge, 1e-5);
  // It is pushed towards the axis.
  const LocalDerivatives<12> e = PairBarrier(pair).derivatives(kOverEdge, false);
  EXPECT_GT(e.gradient.head<3>().dot(Vec3(0, 0.04, 0.03)), 0);
  const PairCoordinates outside = coordinates({{0.3, 0.2, 0}, {0, 0, 0}, {1, 0, 0}});
  EXPECT_LT(PairBarrier(pair).gap(outside), 0);
}

TEST(PairBarrier, IsNothingOutOfReach) {
  PairCoordinates far = kOverFace;
  far[2] = kReach;
  const BarrierPair pair = pair_of(PairKind::point_triangle);
  const LocalDerivatives<12> e = PairBarrier(pair).derivatives(far, true);
  EXPECT_EQ(e.value, 0);
  EXPECT_TRUE(e.gradient.isZero(0));
  EXPECT_TRUE(e.hessian.isZero(0));
}

// Edges with |e| = |f| = 2 and this angle between them, above each other.
PairCoordinates edges_at(double angle) {
  const Vec3 f(std::cos(angle), std::sin(angle), 0);
  return coordinates({{-0.9, 0, 0.05}, {1.1, 0, 0.05}, -f, f});
}

TEST(Mollifier, SwitchesParallelEdgesOff) {
  BarrierPair pair = pair_of(PairKind::edge_edge);
  pair.parallel = 1e-3 * 16;
  const PairBarrier mollified(pair);
  const double whole = barrier(0.05, kReach, pair.stiffness).value;
  const double limit = std::asin(std::sqrt(1e-3));
  for (const double angle : {1.01, 2.0, 20.0}) {
    EXPECT_NEAR(mollified.derivatives(edges_at(angle * limit), false).value, whole, 1e-11);
  }
  for (const double angle : {0.1, 0.5, 0.9}) {
    const double share = std::pow(std::sin(angle * limit), 2) / 1e-3;
    const double expected = whole * share * (2 - share);
    EXPECT_NEAR(mollified.derivatives(edges_at(angle * limit), false).value, expected,
                1e-10 * whole);
    expect_derivatives(pair, edges_at(angle * limit), 1e-5);
  }
  const LocalDerivatives<12> none = mollified.derivatives(edges_at(0), true);
  EXPECT_EQ(none.value, 0);
  EXPECT_TRUE(none.gradient.isZero(0));
  EXPECT_TRUE(none.hessian.allFinite());
}

// Without the mollifier the Hessian grows like 1/angle² towards parallel edges.
TEST(Mollifier, BoundsTheHessian) {
  BarrierPair pair = pair_of(PairKind::edge_edge);
  const auto size = [&](double angle) {
    return PairBarrier(pair).derivatives(edges_at(angle), true).hessian.norm();
  };
  EXPECT_GT(size(1e-5), 1e3 * size(1e-3));
  pair.parallel = 1e-3 * 16;
  const double usual = size(0.5);
  for (const double angle : {1e-2, 1e-3, 1e-5, 1e-7, 1e-9}) EXPECT_LT(size(angle), 1e3 * usual);
}

// Its first derivatives are continuous where it ends.
TEST(Mollifier, EndsSmoothly) {
  BarrierPair pair = pair_of(PairKind::edge_edge);
  pair.parallel = 1e-3 * 16;
  const double limit = std::asin(std::sqrt(1e-3));
  const auto at = [&](double share) {
    return PairBarrier(pair).derivatives(edges_at(share * limit), false);
  };
  const LocalDerivatives<12> before = at(1 - 1e-7);
  const LocalDerivatives<12> after = at(1 + 1e-7);
  EXPECT_NEAR(before.value, after.value, 1e-10 * after.value);
  EXPECT_LE((before.gradient - after.gradient).norm(), 1e-5 * after.gradient.norm());
}

TEST(BarrierPair, GathersWithoutLosingDigits) {
  BarrierPair pair = pair_of(PairKind::point_triangle);
  pair.vertex = {3, 0, 2, 1};
  Vector x(12);
  // In units of 2⁻¹⁰, which positions of 2²⁰ have exactly.
  const double unit = std::pow(2.0, -10);
  for (int i = 0; i < 12; ++i) x[i] = unit * (i * i % 7 + 3 * i);
  const double gap = pair.gap_at(x.data());
  const PairCoordinates z = pair.gather_positions(x.data());
  EXPECT_TRUE(z.head<3>().isZero(0));
  EXPECT_EQ(z.segment<3>(6), Vec3(x.segment<3>(6) - x.segment<3>(9)));
  const Vector moved = x.array() + std::pow(2.0, 20);
  EXPECT_EQ(pair.gap_at(moved.data()), gap);
  EXPECT_TRUE(pair.gather(nullptr).isZero(0));
  EXPECT_EQ(Vec3(pair.gather(x.data()).segment<3>(3)), Vec3(x.head<3>()));
}

}  // namespace
}  // namespace lilyan::test::barrier_test
