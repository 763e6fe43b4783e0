#include "lilyan/physics/thin_shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace lilyan::test {
namespace {

// Twice the area of the triangle's projection onto z = 0, with sign.
double area(const ThinShape& s, const std::array<int, 3>& t) {
  const auto& a = s.vertices[static_cast<std::size_t>(t[0])];
  const auto& b = s.vertices[static_cast<std::size_t>(t[1])];
  const auto& c = s.vertices[static_cast<std::size_t>(t[2])];
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

TEST(ThinShapes, GridCoversItsRectangleFacingUp) {
  for (const Diagonals diagonals : {Diagonals::regular, Diagonals::alternate}) {
    const ThinShape s = grid({3, 2}, {6, 5}, diagonals);
    EXPECT_EQ(s.vertices.size(), 7U * 6);
    EXPECT_EQ(s.triangles.size(), 2U * 6 * 5);
    double sum = 0;
    for (const auto& t : s.triangles) {
      EXPECT_NEAR(area(s, t), 6.0 / 30, 1e-15);
      sum += 0.5 * area(s, t);
    }
    EXPECT_NEAR(sum, 6, 1e-13);
    EXPECT_EQ(s.vertices.front()[0], -1.5);
    EXPECT_EQ(s.vertices.back()[1], 1);
  }
}

// Euler's formula, and a hinge for every edge that is not on the boundary.
TEST(ThinShapes, EdgesAndHingesOfAGrid) {
  for (const Diagonals diagonals : {Diagonals::regular, Diagonals::alternate}) {
    const ThinShape s = grid({1, 1}, {4, 7}, diagonals);
    const auto edges = edges_of(s.triangles);
    EXPECT_EQ(s.vertices.size() - edges.size() + s.triangles.size(), 1U);
    EXPECT_EQ(std::set(edges.begin(), edges.end()).size(), edges.size());
    const auto hinges = hinges_of(s.triangles);
    EXPECT_EQ(hinges.size(), edges.size() - 2U * (4 + 7));
    for (const auto& h : hinges) {
      EXPECT_EQ(std::set(h.begin(), h.end()).size(), 4U);
      // Both triangles are there, on opposite sides of the edge.
      EXPECT_LT(area(s, {h[0], h[1], h[2]}) * area(s, {h[0], h[1], h[3]}), 0);
    }
  }
}

TEST(ThinShapes, EdgeOfThreeTrianglesHasThreeHinges) {
  const std::vector<std::array<int, 3>> book = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  EXPECT_EQ(edges_of(book).size(), 7U);
  EXPECT_EQ(hinges_of(book).size(), 3U);
}

TEST(ThinShapes, Line) {
  const ThinShape s = line(4, 8);
  EXPECT_EQ(s.vertices.size(), 9U);
  EXPECT_EQ(s.edges.size(), 8U);
  EXPECT_EQ(s.vertices.front()[0], -2);
  EXPECT_EQ(s.vertices.back()[0], 2);
  EXPECT_TRUE(s.triangles.empty());
}

}  // namespace
}  // namespace lilyan::test
