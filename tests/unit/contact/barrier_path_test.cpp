// The mean of a barrier over a path: against sums over very many points, its derivatives, and that nothing passes
// through.
#include "lilyan/contact/barrier_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/difference.hpp"

namespace lilyan::test::barrier_path_test {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kReach = 0.1;

PairCoordinates coordinates(const std::vector<Vec3>& points) {
  PairCoordinates z;
  for (int i = 0; i < 4; ++i) {
    z.segment<3>(3 * i) = points[std::min(static_cast<std::size_t>(i), points.size() - 1)];
  }
  return z;
}

PairCoordinates random_points(PairKind kind, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-size, size);
  PairCoordinates z;
  for (double& e : z) e = uniform(random);
  for (int i = size_of(kind); i < 4; ++i) {
    z.segment<3>(3 * i) = z.segment<3>(3 * size_of(kind) - 3);
  }
  return z;
}

BarrierPair pair_of(PairKind kind, double reach = kReach) {
  BarrierPair pair{.kind = kind, .vertex = {0, 1, 2, 3}, .reach = reach, .stiffness = 1};
  if (kind == PairKind::edge_edge) pair.parallel = 1e-4;
  if (kind == PairKind::point_plane) pair.normal = Vec3(0.36, 0.48, 0.8);
  return pair;
}

// The smallest gap on the path, or a little more: places are as near to each other as the gap and the motion demand.
double smallest_gap(const BarrierPair& pair, const PairCoordinates& z0, const PairCoordinates& d) {
  const double motion = relative_motion(pair.kind, d);
  double smallest = std::numeric_limits<double>::infinity();
  for (double s = 0; s < 1;) {
    const double gap = PairBarrier(pair).gap(z0 + s * d);
    smallest = std::min(smallest, gap);
    s += std::max(0.5 * gap, 0.01 * pair.reach) / motion;
  }
  return std::min(smallest, PairBarrier(pair).gap(z0 + d));
}

// Gauss's rule on many parts.
struct Sums {
  double value = 0;
  PairCoordinates gradient = PairCoordinates::Zero();
  PairMatrix hessian = PairMatrix::Zero();
};
Sums fine_sums(const BarrierPair& pair, const PairCoordinates& z0, const PairCoordinates& d,
               int parts) {
  const PairBarrier barrier(pair);
  const double before = barrier.energy(z0, barrier.gap(z0));
  Sums sums;
  const PathRule& rule = path_rule();
  for (int k = 0; k < parts; ++k) {
    for (std::size_t i = 0; i < kPathPoints; ++i) {
      const double s = (k + rule.s[i]) / parts;
      const double w = rule.weight[i] / parts;
      const LocalDerivatives<12> e = barrier.derivatives(z0 + s * d, true);
      sums.value += w * (e.value - before) / s;
      sums.gradient += w * e.gradient;
      sums.hessian += (w * s) * e.hessian;
    }
  }
  return sums;
}

BarrierMean mean_of(const BarrierPair& pair, const PairCoordinates& z0, const PairCoordinates& d) {
  return barrier_mean(PairBarrier(pair), z0, d, kTolerance, true);
}

double energy_at(const BarrierPair& pair, const PairCoordinates& z) {
  const PairBarrier barrier(pair);
  return barrier.energy(z, barrier.gap(z));
}

constexpr PairKind kKinds[] = {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge,
                               PairKind::point_plane};

// Random paths that come near: into the barrier, through it, out of it and along it.
struct Way {
  BarrierPair pair;
  PairCoordinates z0, d;
};
std::vector<Way> near_ways(int of_each, std::mt19937& random) {
  std::vector<Way> ways;
  for (const PairKind kind : kKinds) {
    for (int found = 0; found < of_each;) {
      const BarrierPair pair = pair_of(kind);
      const PairCoordinates z0 = random_points(kind, 0.5, random);
      const PairCoordinates d = random_points(kind, found % 2 == 0 ? 0.4 : 0.05, random);
      const double gap = smallest_gap(pair, z0, d);
      if (gap < 0.15 * kReach || gap > 0.9 * kReach) continue;
      ++found;
      ways.push_back({pair, z0, d});
    }
  }
  return ways;
}

TEST(BarrierMean, DoesTheWorkOfTheEnergy) {
  std::mt19937 random(1);
  for (const auto& [pair, z0, d] : near_ways(100, random)) {
    const BarrierMean mean = mean_of(pair, z0, d);
    ASSERT_TRUE(mean.apart);
    EXPECT_TRUE(mean.active);
    const double before = energy_at(pair, z0);
    const double after = energy_at(pair, z0 + d);
    // (Of each part of the path, and rounding errors of the distance.)
    const double bound = 20 * kTolerance + 1e-14 * (before + after) + 1e-13;
    EXPECT_NEAR(mean.sum.gradient.dot(d), after - before, bound);
  }
}

TEST(BarrierMean, IsTheSumOverThePath) {
  std::mt19937 random(2);
  for (const auto& [pair, z0, d] : near_ways(10, random)) {
    const BarrierMean mean = mean_of(pair, z0, d);
    ASSERT_TRUE(mean.apart);
    // (These parts do not begin where another formula of the distance does.)
    const Sums sums = fine_sums(pair, z0, d, 10000);
    EXPECT_NEAR(mean.sum.value, sums.value, 1e-7 * (1 + std::abs(sums.value)));
    EXPECT_LE((mean.sum.gradient - sums.gradient).norm(), 1e-7 * (1 + sums.gradient.norm()));
    EXPECT_LE((mean.sum.hessian - sums.hessian).norm(), 1e-3 * (1 + sums.hessian.norm()));
  }
}

TEST(BarrierMean, GradientAndHessianAreDerivatives) {
  std::mt19937 random(3);
  for (const auto& [pair, z0, d] : near_ways(25, random)) {
    const BarrierMean mean = mean_of(pair, z0, d);
    constexpr double kStep = 1e-5;
    const PairCoordinates way = random_points(pair.kind, 1, random).normalized();
    const auto at = [&, z = z0, by = d](double s) { return mean_of(pair, z, by + s * way).sum; };
    const double slope = difference([&](double s) { return at(s).value; }, kStep);
    EXPECT_NEAR(mean.sum.gradient.dot(way), slope, 1e-6 * (1 + mean.sum.gradient.norm()));
    const PairCoordinates change = difference([&](double s) { return at(s).gradient; }, kStep);
    EXPECT_LE((mean.sum.hessian * way - change).norm(), 1e-3 * (1 + mean.sum.hessian.norm()));
    EXPECT_EQ(barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).sum.gradient,
              mean.sum.gradient);
  }
}

// A point that passes over a corner comes nearer and goes away again by as much: Gauss's rule finds the difference of
// energy, which is nothing, but not the force.
TEST(BarrierMean, SeesADipInTheMiddle) {
  const BarrierPair pair = pair_of(PairKind::point_edge);
  const std::vector<Vec3> edge = {{0, 0, 0}, {0, -1, 0}};
  for (const double height : {0.01, 0.02, 0.05}) {
    for (const double half_way : {0.25 * height, 0.5 * height, 5 * height, 100 * height}) {
      const PairCoordinates z0 = coordinates({{-half_way, height, 0}, edge[0], edge[1]});
      PairCoordinates d = PairCoordinates::Zero();
      d[0] = 2 * half_way;
      const BarrierMean mean = mean_of(pair, z0, d);
      ASSERT_TRUE(mean.apart);
      // Where it is on the path does not change what it does: to the left of the corner and to its right.
      const Sums sums = fine_sums(pair, z0, d, 20000);
      const double share = half_way > kReach ? 1e-8 : 1e-11;
      EXPECT_NEAR(mean.sum.gradient[1], sums.gradient[1], share * std::abs(sums.gradient[1]));
      EXPECT_NEAR(mean.sum.value, sums.value, 1e-9 * (1 + std::abs(sums.value)));
    }
  }
}

// A dip much shorter than the path, where both ends are far away.
TEST(BarrierMean, SeesAShortDip) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.1, 0.9);
  const BarrierPair pair = pair_of(PairKind::point_triangle, 1e-3);
  for (int k = 0; k < 200; ++k) {
    // Past a corner of the triangle, at the distance of half the reach.
    const double place = uniform(random);
    const double length = std::pow(10.0, k % 4);
    const PairCoordinates z0 =
        coordinates({{-place * length, 5e-4, 0}, {0, 0, 0}, {0, -1, 0.3}, {0, -1, -0.3}});
    PairCoordinates d = PairCoordinates::Zero();
    d[0] = length;
    const BarrierMean mean = mean_of(pair, z0, d);
    ASSERT_TRUE(mean.apart);
    EXPECT_TRUE(mean.active);
    // ∫ B′ y/g dx over the whole line through the reach
    double force = 0;
    constexpr int kParts = 4000;
    for (int i = 0; i < kParts; ++i) {
      const double x = 2e-3 * ((i + 0.5) / kParts - 0.5);
      const double gap = std::hypot(x, 5e-4);
      force += barrier(gap, 1e-3, 1).first * 5e-4 / gap * 2e-3 / kParts;
    }
    EXPECT_NEAR(mean.sum.gradient[1] * length, force, 1e-5 * std::abs(force));
  }
}

// Of a pair that starts within the barrier and leaves it, the value goes on: −B₀ ∫ ds/s.
TEST(BarrierMean, OfAPairThatLeaves) {
  const BarrierPair pair = pair_of(PairKind::point_plane);
  for (const double speed : {0.01, 0.2, 5.0, 1e3, 1e6}) {
    for (const double gap : {0.01, 0.05, 0.09}) {
      const PairCoordinates z0 = coordinates({gap * pair.normal, Vec3::Zero()});
      PairCoordinates d = PairCoordinates::Zero();
      d.head<3>() = speed * pair.normal;
      const BarrierMean mean = mean_of(pair, z0, d);
      ASSERT_TRUE(mean.apart);
      // With κ = 1 and B − B₀ over s in closed form: B is κ(1/u − 3 + 3u − u²), u = (g + v s)²/d̂².
      const double before = barrier(gap, kReach, 1).value;
      const double end = std::min(1.0, (kReach - gap) / speed);
      constexpr int kParts = 2000;
      double value = 0;
      const PathRule& rule = path_rule();
      for (int k = 0; k < kParts; ++k) {
        for (std::size_t i = 0; i < kPathPoints; ++i) {
          const double s = end * (k + rule.s[i]) / kParts;
          value += rule.weight[i] * (barrier(gap + speed * s, kReach, 1).value - before) / s * end /
                   kParts;
        }
      }
      value += before * std::log(end);
      EXPECT_NEAR(mean.sum.value, value, 1e-10 * std::abs(value)) << speed << " " << gap;
      const double after = barrier(gap + speed, kReach, 1).value;
      EXPECT_NEAR(mean.sum.gradient.dot(d), after - before, 1e-11 + 1e-13 * before);
    }
  }
}

// Points of both primitives meet at some moment of the path.
Way crossing(PairKind kind, double speed, double reach, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  const double moment = uniform(random);
  PairCoordinates then = random_points(kind, 0.5, random);
  const double a = uniform(random);
  const double b = uniform(random) * (1 - a);
  const auto at = [&](int i) { return Vec3(then.segment<3>(3 * i)); };
  if (kind == PairKind::point_triangle) {
    then.head<3>() = a * at(1) + b * at(2) + (1 - a - b) * at(3);
  } else if (kind == PairKind::point_edge) {
    then.head<3>() = a * at(1) + (1 - a) * at(2);
  } else if (kind == PairKind::edge_edge) {
    const Vec3 by = b * at(2) + (1 - b) * at(3) - (a * at(0) + (1 - a) * at(1));
    then.head<3>() += by;
    then.segment<3>(3) += by;
  } else {
    const Vec3 normal = pair_of(kind).normal;
    then.head<3>() -= normal.dot(at(0) - at(1)) * normal;
  }
  const PairCoordinates d = random_points(kind, speed, random);
  return {pair_of(kind, reach), then - moment * d, d};
}

TEST(Path, NeverThrough) {
  std::mt19937 random(6);
  for (const PairKind kind : kKinds) {
    for (const double reach : {1e-1, 1e-3, 1e-5}) {
      for (const double speed : {1e-6, 1e-3, 1e-1, 1.0, 30.0, 1000.0}) {
        for (int k = 0; k < 60; ++k) {
          const auto [pair, z0, d] = crossing(kind, speed, reach, random);
          EXPECT_FALSE(barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).apart)
              << static_cast<int>(kind) << " " << reach << " " << speed;
          EXPECT_FALSE(stays_apart(PairBarrier(pair), z0, d))
              << static_cast<int>(kind) << " " << reach << " " << speed;
        }
      }
    }
  }
}

// Nearest points on needles are known to few digits only, and must not let anything through.
TEST(Path, NeverThroughNeedles) {
  std::mt19937 random(16);
  for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
    for (const double width : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6}) {
      for (int k = 0; k < 40; ++k) {
        auto [pair, z0, d] = crossing(kind, k % 2 == 0 ? 1 : 1e-2, 1e-5, random);
        // All of the pair and of its way becomes narrow in one direction.
        for (int i = 0; i < 4; ++i) {
          z0[3 * i] *= width;
          d[3 * i] *= width;
        }
        EXPECT_FALSE(barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).apart) << width;
        EXPECT_FALSE(stays_apart(PairBarrier(pair), z0, d)) << width;
      }
    }
  }
}

// Straight towards each other, where the bound by the motion is exact up to rounding.
TEST(Path, NeverStraightThrough) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  for (const double reach : {1e-1, 1e-3, 1e-6}) {
    for (int k = 0; k < 300; ++k) {
      const double speed = std::pow(10.0, k % 7 - 3);
      const double moment = uniform(random);
      PairCoordinates z0 =
          coordinates({{0.2, 0.3, -moment * speed}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
      PairCoordinates d = PairCoordinates::Zero();
      d[2] = speed;
      BarrierPair pair = pair_of(PairKind::point_triangle, reach);
      if (k % 2 == 1) {
        z0 = coordinates(
            {{-1, 0.1, -moment * speed}, {1, -0.1, -moment * speed}, {0, 1, 0}, {0.1, -1, 0}});
        d[5] = speed;
        pair = pair_of(PairKind::edge_edge, reach);
      }
      EXPECT_FALSE(barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).apart);
      EXPECT_FALSE(stays_apart(PairBarrier(pair), z0, d));
    }
  }
}

// All in one plane, where no volume tells on which side a point is.
TEST(Path, InOnePlane) {
  const BarrierPair face = pair_of(PairKind::point_triangle, 1e-3);
  const std::vector<Vec3> triangle = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto apart = [&](const BarrierPair& pair, const PairCoordinates& z0,
                         const PairCoordinates& d) {
    const bool free = barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).apart;
    EXPECT_EQ(stays_apart(PairBarrier(pair), z0, d), free);
    return free;
  };
  PairCoordinates d = PairCoordinates::Zero();
  const auto from = [&](double x, double y) {
    return coordinates({{x, y, 0}, triangle[0], triangle[1], triangle[2]});
  };
  for (const double speed : {2.0, 50.0, 5000.0}) {
    d[0] = speed;
    EXPECT_FALSE(apart(face, from(-1, 0.3), d));
    EXPECT_FALSE(apart(face, from(-1, 0), d));  // along an edge
    EXPECT_TRUE(apart(face, from(-1, -1e-3), d));
    EXPECT_TRUE(apart(face, from(-1, 1.01), d));
    // Two edges in one plane.
    const BarrierPair edges = pair_of(PairKind::edge_edge, 1e-3);
    PairCoordinates both = d;
    both[3] = speed;
    EXPECT_FALSE(
        apart(edges, coordinates({{-1, 0.1, 0}, {-1.2, 0.5, 0}, {0, 0, 0}, {0, 1, 0}}), both));
    EXPECT_TRUE(
        apart(edges, coordinates({{-1, 1.1, 0}, {-1.2, 1.5, 0}, {0, 0, 0}, {0, 1, 0}}), both));
  }
}

// Edges that slide along each other fast, and points along a triangle, at a tenth of the reach.
TEST(Path, SlidesFast) {
  for (const double reach : {1e-1, 1e-3, 1e-4}) {
    const double gap = 0.1 * reach;
    for (const double speed : {0.5, 3.0}) {
      const BarrierPair face = pair_of(PairKind::point_triangle, reach);
      const PairCoordinates over =
          coordinates({{0.3, 0.3, gap}, {-9, -5, 0}, {9, -5, 0}, {0, 9, 0}});
      PairCoordinates d = PairCoordinates::Zero();
      d[0] = speed;
      const BarrierMean mean = mean_of(face, over, d);
      ASSERT_TRUE(mean.apart);
      const double force = barrier(gap, reach, 1).first;
      EXPECT_NEAR(mean.sum.gradient[2], force, 1e-9 * std::abs(force));
      EXPECT_TRUE(stays_apart(PairBarrier(face), over, d));

      const BarrierPair edges = pair_of(PairKind::edge_edge, reach);
      const PairCoordinates crossed =
          coordinates({{-5, 0, gap}, {5, 0, gap}, {-1, -5, 0}, {-1, 5, 0}});
      PairCoordinates along = d;
      along[3] = speed;
      const BarrierMean sliding = mean_of(edges, crossed, along);
      ASSERT_TRUE(sliding.apart);
      EXPECT_NEAR(sliding.sum.gradient[2] + sliding.sum.gradient[5], force, 1e-9 * std::abs(force));
      EXPECT_TRUE(stays_apart(PairBarrier(edges), crossed, along));
    }
  }
}

TEST(Path, IsNotBlockedForNothing) {
  std::mt19937 random(8);
  for (const PairKind kind : kKinds) {
    for (const double reach : {1e-1, 1e-2}) {
      for (const double speed : {1e-3, 0.3, 3.0, 30.0}) {
        for (int k = 0; k < 100; ++k) {
          const BarrierPair pair = pair_of(kind, reach);
          const PairCoordinates z0 = random_points(kind, 0.5, random);
          const PairCoordinates d = random_points(kind, speed, random);
          if (smallest_gap(pair, z0, d) < 0.1 * reach) continue;
          EXPECT_TRUE(stays_apart(PairBarrier(pair), z0, d))
              << static_cast<int>(kind) << " " << reach << " " << speed;
          EXPECT_TRUE(barrier_mean(PairBarrier(pair), z0, d, kTolerance, false).apart);
        }
      }
    }
  }
}

// What is blocked keeps being blocked further on the same way.
TEST(Path, IsBlockedFromSomePlaceOn) {
  std::mt19937 random(9);
  for (const PairKind kind : kKinds) {
    for (int k = 0; k < 50; ++k) {
      const auto [pair, z0, d] = crossing(kind, 2, 1e-2, random);
      bool blocked = false;
      for (double share = 1.0 / 64; share <= 1; share += 1.0 / 64) {
        const bool apart = barrier_mean(PairBarrier(pair), z0, share * d, kTolerance, false).apart;
        EXPECT_FALSE(blocked && apart);
        blocked = blocked || !apart;
      }
      EXPECT_TRUE(blocked);
    }
  }
}

TEST(Path, InsideOfAContainer) {
  BarrierPair pair = pair_of(PairKind::point_edge, 0.05);
  pair.inside = true;
  pair.thickness = 1;
  const PairCoordinates z0 = coordinates({{0.5, 0.3, 0}, {0, 0, 0}, {1, 0, 0}});
  PairCoordinates d = PairCoordinates::Zero();
  d[1] = 0.68;
  const BarrierMean mean = mean_of(pair, z0, d);
  EXPECT_TRUE(mean.apart);
  EXPECT_NEAR(mean.sum.gradient.dot(d), energy_at(pair, z0 + d), 1e-11);
  for (const double beyond : {0.7, 1.0, 20.0, -5.0}) {
    d[1] = beyond;
    EXPECT_FALSE(mean_of(pair, z0, d).apart);
    EXPECT_FALSE(stays_apart(PairBarrier(pair), z0, d));
  }
}

TEST(Path, ThicknessIsPartOfIt) {
  BarrierPair pair = pair_of(PairKind::point_triangle, 0.01);
  pair.thickness = 0.2;
  PairCoordinates d = PairCoordinates::Zero();
  d[0] = 4;
  const auto at = [](double height) {
    return coordinates({{-2, 0, height}, {0, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  };
  EXPECT_FALSE(mean_of(pair, at(0.199), d).apart);
  EXPECT_FALSE(stays_apart(PairBarrier(pair), at(0.199), d));
  EXPECT_TRUE(mean_of(pair, at(0.202), d).apart);
  EXPECT_TRUE(stays_apart(PairBarrier(pair), at(0.202), d));
}

}  // namespace
}  // namespace lilyan::test::barrier_path_test
