#include "lilyan/physics/meshes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "support/body.hpp"

namespace lilyan::test::meshes_test {
namespace {

double volume(const TetMesh& mesh) {
  const Vector x = positions(mesh);
  double sum = 0;
  for (const auto& t : mesh.tets) sum += orientation(x, t) / 6;
  return sum;
}

// Number of boundary faces; every other face must be shared by exactly two tets.
int boundary_faces(const TetMesh& mesh) {
  std::map<std::array<int, 3>, int> faces;
  for (const auto& t : mesh.tets) {
    for (int skip = 0; skip < 4; ++skip) {
      std::array<int, 3> f{};
      for (int a = 0, k = 0; a < 4; ++a) {
        if (a != skip) f[k++] = t[a];
      }
      std::ranges::sort(f);
      ++faces[f];
    }
  }
  int boundary = 0;
  for (const auto& [f, count] : faces) {
    EXPECT_LE(count, 2);
    boundary += count == 1;
  }
  return boundary;
}

TEST(Block, FillsItsVolumeWithPositiveTets) {
  const TetMesh mesh = block({3, 0.5, 2}, {4, 2, 3});
  EXPECT_EQ(mesh.vertices.size(), 5U * 3 * 4);
  EXPECT_EQ(mesh.tets.size(), 6U * 4 * 2 * 3);
  EXPECT_NEAR(volume(mesh), 3, 1e-14);
  const Vector x = positions(mesh);
  for (const auto& t : mesh.tets) EXPECT_NEAR(orientation(x, t), 3.0 / 24, 1e-14);
  EXPECT_NEAR(x.sum(), 0, 1e-13);
  EXPECT_DOUBLE_EQ(x.maxCoeff(), 1.5);
  EXPECT_DOUBLE_EQ(x.minCoeff(), -1.5);
}

// Exactly the two triangles per square of the surface are open: the mesh is conforming.
TEST(Block, IsConforming) {
  EXPECT_EQ(boundary_faces(block({3, 0.5, 2}, {4, 2, 3})), 2 * 2 * (4 * 2 + 4 * 3 + 2 * 3));
  EXPECT_EQ(boundary_faces(block({1, 1, 1}, {1, 1, 1})), 12);
}

TEST(Block, InFiveTetsPerCubeFillsItsVolumeToo) {
  const TetMesh mesh = block({3, 0.5, 2}, {4, 2, 3}, CubeCut::kFiveTets);
  EXPECT_EQ(mesh.vertices.size(), 5U * 3 * 4);
  EXPECT_EQ(mesh.tets.size(), 5U * 4 * 2 * 3);
  EXPECT_NEAR(volume(mesh), 3, 1e-14);
  const Vector x = positions(mesh);
  int in_the_middle = 0;
  for (const auto& t : mesh.tets) {
    const double share = orientation(x, t) / (3.0 / 24);  // of a sixth of a cube
    EXPECT_NEAR(share, share > 1.5 ? 2 : 1, 1e-13);
    in_the_middle += share > 1.5;
  }
  EXPECT_EQ(in_the_middle, 4 * 2 * 3);
}

// Cubes side by side in every direction, odd and even numbers of them.
TEST(Block, InFiveTetsPerCubeIsConforming) {
  for (const std::array<int, 3> n : {std::array{4, 2, 3}, {1, 1, 1}, {3, 3, 3}}) {
    const int squares = n[0] * n[1] + n[1] * n[2] + n[2] * n[0];
    EXPECT_EQ(boundary_faces(block({3, 0.5, 2}, n, CubeCut::kFiveTets)), 2 * 2 * squares);
  }
}

TEST(Ball, ConvergesToTheBall) {
  const double exact = 4 * std::numbers::pi / 3 * 8;
  double previous = 0;
  for (const int cells : {4, 8, 16}) {
    const TetMesh mesh = ball(2, cells);
    EXPECT_EQ(boundary_faces(mesh), 12 * cells * cells);
    const Vector x = positions(mesh);
    for (const auto& t : mesh.tets) ASSERT_GT(orientation(x, t), 0);
    double radius = 0;
    for (int i = 0; i < x.size(); i += 3) radius = std::max(radius, x.segment<3>(i).norm());
    EXPECT_NEAR(radius, 2, 1e-14);
    const double error = exact - volume(mesh);
    EXPECT_GT(error, 0);  // inscribed
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.3) << cells;
    }
    previous = error;
  }
  EXPECT_LE(previous, 0.02 * exact);
}

TEST(Ball, CornersOfTheCubeLieOnTheSphere) {
  const TetMesh mesh = ball(2, 4);
  int outside = 0;
  for (const auto& p : mesh.vertices) {
    const double r = std::hypot(p[0], p[1], p[2]);
    outside += std::abs(r - 2) < 1e-14;
  }
  EXPECT_EQ(outside, 5 * 5 * 5 - 3 * 3 * 3);
}

// Twice the area of the triangle's projection onto z = 0, with sign.
double doubled_area(const ClothMesh& s, const std::array<int, 3>& t) {
  const auto& a = s.vertices[static_cast<std::size_t>(t[0])];
  const auto& b = s.vertices[static_cast<std::size_t>(t[1])];
  const auto& c = s.vertices[static_cast<std::size_t>(t[2])];
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

TEST(ClothMeshes, GridCoversItsRectangleFacingUp) {
  for (const Diagonals diagonals : {Diagonals::regular, Diagonals::alternate}) {
    const ClothMesh s = cloth_grid({3, 2}, {6, 5}, diagonals);
    EXPECT_EQ(s.vertices.size(), 7U * 6);
    EXPECT_EQ(s.triangles.size(), 2U * 6 * 5);
    double sum = 0;
    for (const auto& t : s.triangles) {
      EXPECT_NEAR(doubled_area(s, t), 6.0 / 30, 1e-15);
      sum += 0.5 * doubled_area(s, t);
    }
    EXPECT_NEAR(sum, 6, 1e-13);
    EXPECT_EQ(s.vertices.front()[0], -1.5);
    EXPECT_EQ(s.vertices.back()[1], 1);
  }
}

// Euler's formula, and a hinge for every edge that is not on the boundary.
TEST(ClothMeshes, EdgesAndHingesOfAGrid) {
  for (const Diagonals diagonals : {Diagonals::regular, Diagonals::alternate}) {
    const ClothMesh s = cloth_grid({1, 1}, {4, 7}, diagonals);
    const auto edges = edges_of(s.triangles);
    EXPECT_EQ(s.vertices.size() - edges.size() + s.triangles.size(), 1U);
    EXPECT_EQ(std::set(edges.begin(), edges.end()).size(), edges.size());
    const auto hinges = hinges_of(s.triangles);
    EXPECT_EQ(hinges.size(), edges.size() - 2U * (4 + 7));
    for (const auto& h : hinges) {
      EXPECT_EQ(std::set(h.begin(), h.end()).size(), 4U);
      // Both triangles are there, on opposite sides of the edge.
      EXPECT_LT(doubled_area(s, {h[0], h[1], h[2]}) * doubled_area(s, {h[0], h[1], h[3]}), 0);
    }
  }
}

TEST(ClothMeshes, EdgeOfThreeTrianglesHasThreeHinges) {
  const std::vector<std::array<int, 3>> book = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  EXPECT_EQ(edges_of(book).size(), 7U);
  EXPECT_EQ(hinges_of(book).size(), 3U);
}

TEST(ClothMeshes, RodIsALine) {
  const ClothMesh s = rod_line(4, 8);
  EXPECT_EQ(s.vertices.size(), 9U);
  EXPECT_EQ(s.edges.size(), 8U);
  EXPECT_EQ(s.vertices.front()[0], -2);
  EXPECT_EQ(s.vertices.back()[0], 2);
  EXPECT_TRUE(s.triangles.empty());
}

}  // namespace
}  // namespace lilyan::test::meshes_test
