#include "lilyan/contact/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace lilyan::candidates_test {
namespace {

struct Cloud {
  Vector x;
  ContactSurface points{.body = 0};
  ContactSurface triangles{.body = 1};

  Cloud() {
    constexpr int kPoints = 60;
    constexpr int kTriangles = 50;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(-2, 2);
    std::normal_distribution<double> near(0, 0.2);
    x.resize(3 * (kPoints + 3 * kTriangles));
    for (int i = 0; i < kPoints; ++i) {
      points.vertices.push_back(i);
      for (int axis = 0; axis < 3; ++axis) x[3 * i + axis] = place(random);
    }
    for (int k = 0; k < kTriangles; ++k) {
      const int first = kPoints + 3 * k;
      const Vec3 middle(place(random), place(random), place(random));
      for (int a = 0; a < 3; ++a) {
        for (int axis = 0; axis < 3; ++axis)
          x[3 * (first + a) + axis] = middle[axis] + near(random);
      }
      triangles.triangles.push_back({first, first + 1, first + 2});
    }
  }
};

// Against all pairs. What is farther may be left out, but not what is near.
TEST(Candidates, DistancesOfAllPointsThatAreNear) {
  const Cloud cloud;
  Candidates candidates;
  for (const double within : {0.1, 0.5, 3.0}) {
    std::map<int, double> found;
    candidates.each_distance(cloud.points, cloud.triangles, cloud.x, within,
                             [&](int vertex, double distance) { found[vertex] = distance; });
    int near = 0;
    for (const int v : cloud.points.vertices) {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& t : cloud.triangles.triangles) {
        least = std::min(least, point_triangle_distance(pair_at(cloud.x, v, t)));
      }
      if (least > within) {
        EXPECT_GE(found.at(v), least);
        continue;
      }
      ++near;
      EXPECT_EQ(found.at(v), least) << v;
    }
    EXPECT_GT(near, 2);
  }
}

// Where nothing is near, nobody is asked.
TEST(Candidates, NothingIsNear) {
  Cloud cloud;
  for (const int v : cloud.points.vertices) cloud.x[3 * v] += 100;
  Candidates candidates;
  candidates.each_distance(cloud.points, cloud.triangles, cloud.x, 1, [](int, double) { FAIL(); });
}

// Points and triangles that are on their way: all pairs whose boxes meet, in their order.
TEST(Candidates, WaysThatMeet) {
  const Cloud cloud;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> size(0, 0.6);
  std::vector<double> reach(static_cast<std::size_t>(cloud.x.size() / 3));
  for (double& r : reach) r = size(random);
  const auto way = [&](int v) {
    return grown(Box(Vec3(cloud.x.segment<3>(3 * v))), reach[static_cast<std::size_t>(v)]);
  };
  Candidates candidates;
  std::size_t asked = 0;
  std::size_t pairs = 0;
  candidates.each_point(cloud.points.vertices, cloud.triangles.triangles, way, 0.2,
                        [&](std::size_t n, auto near) {
                          EXPECT_EQ(n, asked++);
                          std::vector<int> expected;
                          for (std::size_t k = 0; k < cloud.triangles.triangles.size(); ++k) {
                            const auto& [a, b, c] = cloud.triangles.triangles[k];
                            const Box box = way(a).merged(way(b)).merged(way(c));
                            const Box point = grown(way(cloud.points.vertices[n]), 0.2);
                            if (box.intersects(point)) expected.push_back(static_cast<int>(k));
                          }
                          EXPECT_EQ(std::vector<int>(near.begin(), near.end()), expected);
                          pairs += near.size();
                        });
  EXPECT_EQ(asked, cloud.points.vertices.size());
  EXPECT_GT(pairs, 50U);
}

}  // namespace
}  // namespace lilyan::candidates_test
