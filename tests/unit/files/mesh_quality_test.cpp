#include "app/files/mesh_quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lilyan/physics/meshes.hpp"

namespace lilyan::mesh_quality_test {
namespace {

const std::vector<std::array<double, 3>> kCorner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(TetQuality, RegularTetIsPerfect) {
  const TetMesh mesh{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 2, 1, 3}}};
  const TetQuality q = tet_quality(mesh);
  EXPECT_NEAR(q.aspect.least, 1, 1e-14);
  EXPECT_NEAR(q.edge_length.mean, std::sqrt(8.0), 1e-14);
  EXPECT_NEAR(std::abs(q.volume), 8.0 / 3, 1e-14);
  const double angle = std::acos(1.0 / 3) * 180 / std::numbers::pi;
  EXPECT_NEAR(q.min_dihedral.least, angle, 1e-12);
  EXPECT_NEAR(q.max_dihedral.most, angle, 1e-12);
}

TEST(TetQuality, CornerOfACubeHasItsKnownAngles) {
  const TetQuality q = tet_quality({kCorner, {{0, 1, 2, 3}}});
  EXPECT_NEAR(q.volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(q.max_dihedral.most, 90, 1e-12);
  EXPECT_NEAR(q.min_dihedral.least, std::acos(1 / std::sqrt(3.0)) * 180 / std::numbers::pi, 1e-12);
  // r = 1 / (3 + √3), R = √3 / 2
  EXPECT_NEAR(q.aspect.least, 3 / (3 + std::sqrt(3.0)) / (std::sqrt(3.0) / 2), 1e-14);
  EXPECT_EQ(q.inverted + q.flat + q.duplicates + q.crowded_faces, 0U);
  EXPECT_EQ(q.surface.triangles, 4U);
}

TEST(TetQuality, FindsWhatIsWrong) {
  TetMesh mesh{kCorner, {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 1, 2, 4}, {5, 6, 7, 8}, {0, 1, 2, 9}}};
  mesh.vertices.insert(mesh.vertices.end(),
                       {{0.3, 0.3, 0}, {9, 0, 0}, {8, 0, 0}, {8, 1, 0}, {8, 0, 1}, {0, 0, -1}});
  const TetQuality q = tet_quality(mesh);
  EXPECT_EQ(q.inverted, 3U);  // the second, the fourth and the last
  EXPECT_EQ(q.flat, 1U);
  EXPECT_EQ(q.duplicates, 1U);
  EXPECT_EQ(q.components, 2U);
  EXPECT_EQ(q.crowded_faces, 1U);  // 0 1 2, of four tets
}

TEST(TetQuality, HistogramCountsEveryTet) {
  const TetQuality q = tet_quality(ball(1, 4));
  std::size_t sum = 0;
  for (const std::size_t n : q.aspect.bins) sum += n;
  EXPECT_EQ(sum, q.tets);
  EXPECT_EQ(q.components, 1U);
  EXPECT_EQ(q.surface.genus, 0);
  EXPECT_GE(q.aspect.most, q.aspect.mean);
  EXPECT_LE(q.aspect.least, q.aspect.mean);
}

const std::vector<std::array<int, 3>> kTet = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

TEST(SurfaceQuality, ClosedSurface) {
  const SurfaceQuality q = surface_quality(kCorner, kTet);
  EXPECT_TRUE(q.closed() && q.manifold() && q.oriented() && q.orientable);
  EXPECT_EQ(q.edges, 6U);
  EXPECT_EQ(q.genus, 0);
  EXPECT_NEAR(q.volume, 1.0 / 6, 1e-15);
  EXPECT_NEAR(q.area, 1.5 + std::sqrt(3.0) / 2, 1e-14);
  EXPECT_NEAR(q.aspect.most, 1, 1e-14);
  EXPECT_NEAR(q.angle.most, 90, 1e-12);
  EXPECT_NEAR(q.angle.least, 45, 1e-12);
}

TEST(SurfaceQuality, OpenAndTurned) {
  std::vector<std::array<int, 3>> triangles = kTet;
  triangles.pop_back();
  SurfaceQuality q = surface_quality(kCorner, triangles);
  EXPECT_EQ(q.boundary_edges, 3U);
  EXPECT_EQ(q.boundary_loops, 1U);
  EXPECT_EQ(q.genus, 0);
  EXPECT_FALSE(q.closed());
  triangles = kTet;
  std::swap(triangles[0][0], triangles[0][1]);
  q = surface_quality(kCorner, triangles);
  EXPECT_EQ(q.misoriented_edges, 3U);
  EXPECT_TRUE(q.orientable);
}

TEST(SurfaceQuality, TorusHasGenusOne) {
  constexpr int n = 6;
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double a = 2 * std::numbers::pi * i / n;
      const double b = 2 * std::numbers::pi * j / n;
      vertices.push_back(
          {(3 + std::cos(b)) * std::cos(a), (3 + std::cos(b)) * std::sin(a), std::sin(b)});
      const auto at = [](int p, int q) { return p % n * n + q % n; };
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  const SurfaceQuality q = surface_quality(vertices, triangles);
  EXPECT_EQ(q.genus, 1);
  EXPECT_TRUE(q.closed() && q.oriented());
  EXPECT_GT(q.volume, 0);
}

TEST(SurfaceQuality, MoebiusStripIsNotOrientable) {
  constexpr int n = 7;
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 2 * n; ++i) {
    vertices.push_back({std::cos(i), std::sin(i), 0.1 * i});
  }
  for (int i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const int a = 2 * i;
    const int b = 2 * i + 1;
    const int c = last ? 1 : 2 * i + 2;
    const int d = last ? 0 : 2 * i + 3;
    triangles.push_back({a, b, c});
    triangles.push_back({c, b, d});
  }
  const SurfaceQuality q = surface_quality(vertices, triangles);
  EXPECT_FALSE(q.orientable);
  EXPECT_TRUE(q.manifold());
  EXPECT_EQ(q.boundary_loops, 1U);
}

TEST(SurfaceQuality, NonManifold) {
  // Three triangles at one edge, and one that touches them in a vertex only.
  std::vector<std::array<double, 3>> vertices = kCorner;
  vertices.insert(vertices.end(), {{0, 0, -1}, {5, 5, 5}, {6, 5, 5}});
  const std::vector<std::array<int, 3>> triangles = {
      {0, 1, 2}, {0, 1, 3}, {1, 0, 4}, {2, 5, 6}, {6, 5, 2}};
  const SurfaceQuality q = surface_quality(vertices, triangles);
  EXPECT_EQ(q.non_manifold_edges, 1U);
  EXPECT_EQ(q.non_manifold_vertices, 1U);
  EXPECT_EQ(q.duplicates, 1U);
  EXPECT_EQ(q.components, 2U);
  EXPECT_EQ(triangle_components(triangles), (std::vector<int>{0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace lilyan::mesh_quality_test
