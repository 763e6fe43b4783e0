// Edges through triangles: by hand, against rational numbers, and of whole bodies.
#include "app/files/intersections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "app/files/box_tree.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan::test::intersections_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Vertices = std::vector<std::array<double, 3>>;
using Edges = std::vector<std::array<int, 2>>;
using Triangles = std::vector<std::array<int, 3>>;

// Of an edge from the first two points and the triangle of the last three.
std::vector<Intersection> of_edge(const Vertices& points) {
  return find_intersections(as_points(points), Edges{{0, 1}}, Triangles{{2, 3, 4}});
}

const Vertices kTriangle = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
std::vector<Intersection> through_triangle(const std::array<double, 3>& p,
                                           const std::array<double, 3>& q) {
  return of_edge({p, q, kTriangle[0], kTriangle[1], kTriangle[2]});
}

TEST(Intersections, AnEdgeGoesThroughTouchesOrMisses) {
  struct Case {
    std::array<double, 3> p, q;
    bool found, touches;
  };
  for (const Case& c : std::vector<Case>{
           {{1, 1, -1}, {1, 1, 1}, true, false},
           {{1, 1, 1}, {1, 1, -1e-300}, true, false},
           {{1, 1, 1}, {1, 1, 2}, false, false},
           {{3, 3, -1}, {3, 3, 1}, false, false},
           {{1, 1, 0}, {1, 1, 1}, true, true},      // ends in it
           {{2, 2, -1}, {2, 2, 1}, true, true},     // through its side
           {{4, 0, -1}, {4, 0, 1}, true, true},     // through its corner
           {{1, 1, 0}, {2, 1, 0}, true, true},      // within, in its plane
           {{-1, 1, 0}, {9, 1, 0}, true, true},     // across, in its plane
           {{-1, 0, 0}, {-9, 0, 0}, false, false},  // on the line of a side
           {{-1, 0, 0}, {0, 0, 0}, true, true},     // on that line, up to a corner
           {{3, 3, 0}, {9, 3, 0}, false, false},    // beside, in its plane
           {{5, 0, 0}, {0, 5, 0}, false, false},    // the boxes reach into each other
           {{1, 1, 0}, {1, 1, 0}, true, true},      // an edge without length
       }) {
    const auto found = through_triangle(c.p, c.q);
    const auto turned = through_triangle(c.q, c.p);
    ASSERT_EQ(found.size(), c.found ? 1U : 0U) << c.p[0] << " " << c.p[1] << " " << c.p[2];
    EXPECT_EQ(turned, found);
    if (c.found) {
      EXPECT_EQ(found[0].touches, c.touches);
    }
  }
}

TEST(Intersections, ATriangleWithoutAreaIsThreeEdges) {
  const auto count = [](const std::array<double, 3>& p, const std::array<double, 3>& q) {
    return of_edge({p, q, {0, 0, 0}, {1, 1, 1}, {3, 3, 3}}).size();
  };
  EXPECT_EQ(count({2, 2, 0}, {2, 2, 5}), 1U);
  EXPECT_EQ(count({2, 2.5, 0}, {2, 2.5, 5}), 0U);
  EXPECT_EQ(count({2, 2, 2}, {9, 9, 9}), 1U);
  EXPECT_EQ(count({4, 4, 4}, {9, 9, 9}), 0U);
  EXPECT_EQ(of_edge({{0, 0, 0}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).size(), 1U);
}

TEST(Intersections, SharedVerticesDoNotCount) {
  const Vertices points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.5}, {-1, -1, 3}};
  const Triangles triangles = {{0, 1, 2}, {1, 3, 2}, {0, 4, 2}};
  EXPECT_TRUE(find_intersections(as_points(points), Edges{{0, 3}, {2, 4}}, triangles).empty());
}

// Two triangles that share a vertex and go through each other: the edge opposite to the vertex does.
TEST(Intersections, TrianglesThatShareAVertexMayCross) {
  const Vertices points = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}};
  const auto found = find_intersections(as_points(points), {}, Triangles{{0, 1, 2}, {0, 3, 4}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].edge, (std::array<int, 2>{3, 4}));
  EXPECT_EQ(found[0].triangle, (std::array<int, 3>{0, 1, 2}));
  EXPECT_FALSE(found[0].touches);
  const auto place = place_of(found[0], as_points(points));
  EXPECT_EQ(place, (std::array<double, 3>{1, 1, 0}));
}

TEST(Intersections, OverlapInOnePlane) {
  Vertices points = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}};
  const Triangles triangles = {{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(find_intersections(as_points(points), {}, triangles).size(),
            3U);  // one within the other
  for (std::size_t i = 3; i < 6; ++i) points[i][2] = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(find_intersections(as_points(points), {}, triangles).empty());
}

TEST(Intersections, PointsThatCannotBeJudgedAreRefused) {
  const Vertices points = {{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}};
  EXPECT_THROW((void)find_intersections(as_points(points), {}, Triangles{{0, 1, 2}}), Error);
  EXPECT_THROW((void)find_intersections(as_points(kTriangle), {}, Triangles{{0, 1, 3}}), Error);
  EXPECT_THROW((void)find_intersections(as_points(kTriangle), Edges{{-1, 1}}, {}), Error);
}

// ---- against rational numbers

using RationalPoint = std::array<Rational, 3>;

RationalPoint minus(const RationalPoint& a, const RationalPoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
RationalPoint cross(const RationalPoint& a, const RationalPoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Rational dot(const RationalPoint& a, const RationalPoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The share of the edge that is in the triangle's plane and on the inner side of all of its sides. Of a triangle with an
// area.
bool clipped(const std::array<RationalPoint, 5>& x) {
  const RationalPoint direction = minus(x[1], x[0]);
  const RationalPoint normal = cross(minus(x[3], x[2]), minus(x[4], x[2]));
  Rational low = 0;
  Rational high = 1;
  // Keeps what has from + s · slope >= 0.
  const auto keep = [&](const Rational& from, const Rational& slope) {
    if (slope == 0) {
      if (from < 0) high = -1;
    } else if (slope > 0) {
      low = std::max<Rational>(low, -from / slope);
    } else {
      high = std::min<Rational>(high, -from / slope);
    }
  };
  const Rational height = dot(minus(x[0], x[2]), normal);
  const Rational rise = dot(direction, normal);
  keep(height, rise);
  keep(-height, -rise);
  for (std::size_t k = 0; k < 3; ++k) {
    const RationalPoint& a = x[2 + k];
    const RationalPoint inwards = cross(normal, minus(x[2 + (k + 1) % 3], a));
    keep(dot(minus(x[0], a), inwards), dot(direction, inwards));
  }
  return low <= high;
}

TEST(Intersections, AsClippedWithRationalNumbers) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> pick(0, 3);
  // On a grid most of them lie in one plane, end in each other or meet at borders; a tenth is none in binary.
  for (const double unit : {1.0, 0.1}) {
    int found = 0;
    int missed = 0;
    for (int round = 0; round < 6000; ++round) {
      Vertices points(5);
      std::array<RationalPoint, 5> exact;
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          // Every other round in one plane.
          points[i][k] = k == 2 && round % 2 == 0 ? 0 : unit * pick(random);
          exact[i][k] = Rational(points[i][k]);
        }
      }
      const RationalPoint normal = cross(minus(exact[3], exact[2]), minus(exact[4], exact[2]));
      if (dot(normal, normal) == 0) continue;
      const bool expected = clipped(exact);
      ASSERT_EQ(of_edge(points).size(), expected ? 1U : 0U) << "round " << round;
      ++(expected ? found : missed);
    }
    EXPECT_GT(found, 500);
    EXPECT_GT(missed, 500);
  }
}

// ---- many

TEST(BoxTree, FindsWhatAllPairsFind) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> real(0, 1);
  for (const int count : {0, 1, 5, 333}) {
    std::vector<PointBox> boxes;
    const auto make = [&] {
      PointBox box;
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::round(20 * real(random));  // many sides at the same place
        box.high[k] = box.low[k] + std::round(4 * real(random));
      }
      return box;
    };
    for (int i = 0; i < count; ++i) boxes.push_back(make());
    const BoxTree tree(boxes);
    for (int round = 0; round < 200; ++round) {
      const PointBox box = make();
      std::multiset<int> found;
      tree.search(box, [&](int number) { found.insert(number); });
      std::multiset<int> expected;
      for (int i = 0; i < count; ++i) {
        if (boxes[static_cast<std::size_t>(i)].reaches(box)) expected.insert(i);
      }
      ASSERT_EQ(found, expected);
    }
  }
}

Triangles outside_of(const TetMesh& mesh) {
  Triangles triangles;
  for (const BoundaryFace& face : boundary_faces(mesh.tets)) triangles.push_back(face.corners);
  return triangles;
}

// The same body once more, moved.
TetMesh with_copy(const TetMesh& mesh, const std::array<double, 3>& by, double scale = 1) {
  TetMesh both = mesh;
  const auto count = static_cast<int>(mesh.vertices.size());
  for (const auto& x : mesh.vertices) {
    both.vertices.push_back({scale * x[0] + by[0], scale * x[1] + by[1], scale * x[2] + by[2]});
  }
  for (const auto& t : mesh.tets) {
    both.tets.push_back({t[0] + count, t[1] + count, t[2] + count, t[3] + count});
  }
  return both;
}

std::size_t crossings(const TetMesh& mesh) {
  return find_intersections(as_points(mesh.vertices), {}, outside_of(mesh)).size();
}

TEST(Intersections, OfBodies) {
  const TetMesh cube = block({1, 1, 1}, {3, 3, 3});
  EXPECT_EQ(crossings(cube), 0U);
  EXPECT_EQ(crossings(with_copy(cube, {1 + 1e-15, 0, 0})), 0U);
  EXPECT_GT(crossings(with_copy(cube, {1, 0, 0})), 0U);  // sides that lie in one another
  EXPECT_GT(crossings(with_copy(cube, {1 - 1e-15, 0, 0})), 0U);
  EXPECT_GT(crossings(with_copy(cube, {0.5, 0.4, 0.3})), 0U);
  const TetMesh round = ball(1, 6);
  EXPECT_EQ(crossings(with_copy(round, {2.01, 0, 0})), 0U);
  EXPECT_GT(crossings(with_copy(round, {1.9, 0, 0})), 0U);
}

TEST(Intersections, AreTheSameOnAnyNumberOfThreads) {
  const TetMesh mesh = with_copy(ball(1, 12), {0.7, 0.2, 0.1});
  const auto alone = find_intersections(as_points(mesh.vertices), {}, outside_of(mesh));
  set_threads(3);
  const auto shared = find_intersections(as_points(mesh.vertices), {}, outside_of(mesh));
  set_threads(1);
  EXPECT_GT(alone.size(), 20U);
  EXPECT_EQ(shared, alone);
}

TEST(Enclosed, ABodyWithinAnother) {
  const TetMesh cube = block({1, 1, 1}, {3, 3, 3});
  const auto within = [](const TetMesh& mesh) {
    return find_enclosed(as_points(mesh.vertices), {.tets = mesh.tets});
  };
  EXPECT_TRUE(within(cube).empty());
  EXPECT_TRUE(within(with_copy(cube, {2, 0, 0}, 0.1)).empty());
  const TetMesh swallowed = with_copy(cube, {0.41, 0.42, 0.43}, 0.1);
  EXPECT_EQ(crossings(swallowed), 0U);
  const auto found = within(swallowed);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].vertex, static_cast<int>(cube.vertices.size()));
  for (const int v : found[0].tet) EXPECT_LT(v, static_cast<int>(cube.vertices.size()));
}

TEST(Enclosed, ARodWithinABodyThatIsInverted) {
  TetMesh cube = block({1, 1, 1}, {1, 1, 1});
  for (auto& x : cube.vertices) x[0] = -x[0];
  cube.vertices.push_back({-0.3, 0.3, 0.4});
  cube.vertices.push_back({-0.4, 0.3, 0.4});
  const Edges rod = {{8, 9}};
  EXPECT_EQ(find_enclosed(as_points(cube.vertices), {.tets = cube.tets, .edges = rod}).size(), 1U);
}

}  // namespace
}  // namespace lilyan::test::intersections_test
