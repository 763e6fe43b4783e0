#include "lilyan/contact/near_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lilyan/numeric/cubic.hpp"

namespace lilyan::near_part_test {
namespace {

PointTriangle random_pair(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  PointTriangle z;
  for (double& c : z) c = number(random);
  return z;
}

// Fast ones, slow ones, and triangles that turn; the parts are not all of the path, and not none of it.
TEST(NearPart, HoldsAllThatIsNear) {
  std::mt19937 random(3);
  constexpr int kSamples = 200;
  int empty = 0, part = 0, all = 0;
  for (int k = 0; k < 3000; ++k) {
    const PointTriangle z = random_pair(random, k % 3 == 0 ? 3.0 : 1.0);
    const PointTriangle d = random_pair(random, std::array{0.1, 1.0, 10.0}[(k / 3) % 3]);
    const NearPart near(z, d, 0.2);
    const KnownPath path = near.path();
    empty += near.empty();
    all += path.from == 0 && path.to == 1;
    part += !near.empty() && (path.from > 0 || path.to < 1);
    for (int i = 0; i <= kSamples; ++i) {
      const double s = static_cast<double>(i) / kSamples;
      if (point_triangle_distance(z + s * d) > 0.2) continue;
      ASSERT_FALSE(near.empty());
      ASSERT_LE(path.from, s);
      ASSERT_GE(path.to, s);
    }
  }
  EXPECT_GT(std::min({empty, part, all}), 200);
}

TEST(NearPart, OfPairsThatDoNotMoveAgainstEachOther) {
  std::mt19937 random(4);
  const PointTriangle z = random_pair(random, 1);
  PointTriangle d;
  for (int a = 0; a < 4; ++a) d.segment<3>(3 * a) = Vec3(5, -3, 2);
  for (const PointTriangle& still : {PointTriangle(PointTriangle::Zero()), d}) {
    const double distance = point_triangle_distance(z);
    const NearPart near(z, still, 2 * distance);
    ASSERT_FALSE(near.empty());
    EXPECT_EQ(near.path().from, 0);
    EXPECT_EQ(near.path().to, 1);
    PointTriangle away = z;
    away.segment<3>(0) += Vec3(100, 0, 0);
    EXPECT_TRUE(NearPart(away, still, 1).empty());
  }
}

// What is no number is somebody else's to find: it must not look like a pair that is apart.
TEST(NearPart, NumbersThatAreNoneAreNear) {
  PointTriangle z = PointTriangle::Zero();
  z[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(NearPart(z, PointTriangle::Ones(), 1).empty());
}

// The distance changes as |s − s₀| at the plane of the triangle: there the mean is to be split.
TEST(NearPart, BreaksWhereThePointGoesThroughThePlane) {
  PointTriangle z, d = PointTriangle::Zero();
  z << 0.2, 0.2, 0.3, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  d.segment<3>(0) = Vec3(0, 0, -1);
  const NearPart near(z, d, 0.1);
  const auto breaks = near.path().breaks;
  ASSERT_EQ(breaks.size(), 1U);
  EXPECT_NEAR(breaks[0], 0.3, 1e-15);
  // One that comes and goes within the path has its middle as well.
  d.segment<3>(0) = Vec3(0, 0, -10);
  z[2] = 4;
  const NearPart fast(z, d, 0.1);
  EXPECT_GT(fast.path().from, 0.2);
  EXPECT_LT(fast.path().to, 0.6);
  ASSERT_EQ(fast.path().breaks.size(), 2U);
  for (const double s : fast.path().breaks) EXPECT_NEAR(s, 0.4, 0.02);
}

TEST(SignChanges, OfCubicsWithKnownRoots) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int k = 0; k < 1000; ++k) {
    std::array<double, 3> roots = {number(random), number(random), number(random)};
    std::ranges::sort(roots);
    const auto [a, b, c] = roots;
    if (b - a < 1e-3 || c - b < 1e-3) continue;
    const SignChanges found({-a * b * c, a * b + b * c + c * a, -(a + b + c), 1}, -1, 1);
    std::vector<double> within;
    for (const double r : roots) {
      if (r > -1 && r < 1) within.push_back(r);
    }
    ASSERT_EQ(found.at().size(), within.size());
    for (std::size_t i = 0; i < within.size(); ++i) EXPECT_NEAR(found.at()[i], within[i], 1e-10);
  }
  // Squares, lines, constants.
  const SignChanges square({-0.25, 0, 1, 0}, 0, 1);
  ASSERT_EQ(square.at().size(), 1U);
  EXPECT_NEAR(square.at()[0], 0.5, 1e-15);
  const SignChanges line({-0.25, 1, 0, 0}, 0, 1);
  ASSERT_EQ(line.at().size(), 1U);
  EXPECT_NEAR(line.at()[0], 0.25, 1e-15);
  EXPECT_TRUE(SignChanges({1, 0, 0, 0}, 0, 1).at().empty());
  EXPECT_TRUE(SignChanges({0, 0, 0, 0}, 0, 1).at().empty());
}

}  // namespace
}  // namespace lilyan::near_part_test
