#include "lilyan/contact/continuous_collision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace lilyan::continuous_collision_test {
namespace {

// Against a search along the way in small steps.
TEST(ContinuousCollision, CrossingsOfAPointAndATriangle) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto side = [](const PointTriangle& z) {
    const Vec3 a = z.segment<3>(3);
    return (z.segment<3>(6) - a).cross(Vec3(z.segment<3>(9) - a)).dot(Vec3(z.segment<3>(0) - a)) >=
           0;
  };
  std::array<int, 4> seen{};
  for (int k = 0; k < 10000; ++k) {
    PointTriangle before;
    PointTriangle after;
    for (double& e : before) e = uniform(random);
    for (double& e : after) e = 2 * uniform(random);
    // Every other triangle keeps its form, as most do.
    const Vec3 shift(uniform(random), uniform(random), uniform(random));
    if (k % 2 == 0) after.tail<9>() = before.tail<9>() + shift.replicate<3, 1>();
    // A point that moves little is passed more often by a triangle that turns.
    if (k % 2 == 1) after.head<3>() = before.head<3>() * 0.9;
    int expected = 0;
    bool doubtful = false;
    constexpr int kCuts = 300;
    for (int i = 0; i < kCuts; ++i) {
      const auto at = [&](double s) { return PointTriangle(before + s * (after - before)); };
      const PointTriangle now = at((i + 0.5) / kCuts);
      if (side(at(static_cast<double>(i) / kCuts)) == side(at((i + 1.0) / kCuts))) continue;
      const NearestPoint nearest = nearest_point(now);
      expected += nearest.feature == Nearest::face ? 1 : 0;
      doubtful = doubtful || std::ranges::min(nearest.weight) < 0.05;
    }
    if (doubtful) continue;
    const int found = crossings(before, after);
    ++seen[static_cast<std::size_t>(found)];
    EXPECT_EQ(found, expected) << before.transpose() << "\n" << after.transpose();
    // The way back goes through as often.
    EXPECT_EQ(crossings(after, before), found);
  }
  EXPECT_GT(seen[1], 100);
  EXPECT_GT(seen[2], 5);
}

TEST(ContinuousCollision, APointThatStopsOnATriangleIsCountedOnce) {
  PointTriangle above;
  above << 0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  PointTriangle on = above;
  on[2] = 0;
  PointTriangle below = above;
  below[2] = -1;
  for (const auto& [from, to] : {std::pair{above, below}, std::pair{below, above}}) {
    EXPECT_EQ(crossings(from, to), 1);
    EXPECT_EQ(crossings(from, on) + crossings(on, to), 1);
    EXPECT_EQ(crossings(from, on) + crossings(on, from), from == above ? 0 : 2);
  }
  EXPECT_EQ(crossings(on, on), 0);
}

// Vertices above a triangle of another body that fly down, by different ways.
TEST(ContinuousCollision, PointsThroughASurface) {
  const ContactSurface points{.body = 0, .vertices = {0, 1, 2}};
  const ContactSurface triangle{.body = 1, .vertices = {3, 4, 5}, .triangles = {{3, 4, 5}}};
  Vector before(18);
  before << 0.2, 0.2, 1, 0.3, 0.1, 1, 2, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0;
  Vector after = before;
  Candidates candidates;
  const auto through = [&] { return points_through(points, triangle, before, after, candidates); };
  EXPECT_EQ(through(), 0);
  after[2] = after[5] = after[8] = -1;  // the third is beside it
  EXPECT_EQ(through(), 2);
  after[5] = 0.5;
  EXPECT_EQ(through(), 1);
  after[11] = after[14] = after[17] = -2;  // the triangle is faster, and nobody meets it
  EXPECT_EQ(through(), 0);
  after = before;
  after[11] = after[14] = after[17] = 3;
  EXPECT_EQ(through(), 2);
}

TEST(ContinuousCollision, WaysThroughAShape) {
  const ObstacleShape ball = SphereShape{.center = Vec3::Zero(), .radius = 1};
  EXPECT_EQ(thickness(ball), 2);
  const auto way = [&](const Vec3& a, const Vec3& b) { return approach(ball, 2, a, b); };
  EXPECT_TRUE(way({-3, 0, 0}, {3, 0, 0}).through);
  EXPECT_EQ(way({-3, 0, 0}, {3, 0, 0}).length, 6);
  EXPECT_TRUE(way({-3, 0.9, 0}, {3, 0.9, 0}).through);
  EXPECT_FALSE(way({-3, 1.1, 0}, {3, 1.1, 0}).through);
  EXPECT_EQ(way({-3, 1.1, 0}, {3, 1.1, 0}).length, 6);
  EXPECT_FALSE(way({-3, 0, 0}, {0.5, 0, 0}).through);  // it is in there
  EXPECT_EQ(way({-3, 0, 0}, {-1.5, 0, 0}).length, 0);  // not so far
  EXPECT_EQ(way({0, 0, 0}, {3, 0, 0}).length, 0);      // from inside
  EXPECT_FALSE(way({-3, 3, 0}, {-3, -3, 0}).through);
}

}  // namespace
}  // namespace lilyan::continuous_collision_test
