#include "lilyan/contact/overlap.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lilyan::overlap_test {
namespace {

// The corner x, y, z ≥ 0, x + y + z ≤ 1.
const std::vector<std::array<int, 4>> kTets{{0, 1, 2, 3}};
const std::vector<std::array<int, 3>> kFaces{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

Vector corners() {
  Vector x(12);
  x << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return x;
}

TEST(Overlap, IsThatOfTheDeepestPoint) {
  const std::vector<Vec3> points{{0.1, 0.3, 0.3}, {0.2, 0.2, 0.25}, {0.6, 0.6, 0.6}, {2, 2, 2}};
  const Overlap worst = deepest_within(points, kTets, kFaces, corners());
  EXPECT_DOUBLE_EQ(worst.depth, 0.2);
  EXPECT_EQ(worst.at, points[1]);
}

// The third is within the box around the tet, but not within the tet.
TEST(Overlap, PointsOutsideHaveNone) {
  const std::vector<Vec3> points{{-0.1, 0.3, 0.3}, {2, 2, 2}, {0.6, 0.6, 0.6}};
  EXPECT_EQ(deepest_within(points, kTets, kFaces, corners()).depth, 0);
  EXPECT_EQ(deepest_within(std::vector{Vec3(0.1, 0.1, 0.1)}, {}, {}, corners()).depth, 0);
}

}  // namespace
}  // namespace lilyan::overlap_test
