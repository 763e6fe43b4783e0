// Boundaries, normals, parts; and surfaces written and read back.
#include "app/files/surface.hpp"
#include "app/files/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "app/files/mesh_quality.hpp"
#include "app/files/surface_writer.hpp"
#include "lilyan/physics/meshes.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::test::surface_test {
namespace {

SurfaceMesh boundary(const TetMesh& mesh) {
  SurfaceMesh surface;
  surface.vertices = mesh.vertices;
  for (const BoundaryFace& f : boundary_faces(mesh.tets)) surface.triangles.push_back(f.corners);
  return surface;
}

TEST(Boundary, OfABlockIsClosedOrientedAndEnclosesIt) {
  const TetMesh mesh = block({2, 3, 4}, {2, 3, 1});
  const SurfaceQuality q = surface_quality(boundary(mesh));
  EXPECT_EQ(q.triangles, 2U * 2 * (2 * 3 + 3 * 1 + 1 * 2));
  EXPECT_TRUE(q.closed() && q.manifold() && q.oriented());
  EXPECT_NEAR(q.area, 52, 1e-12);
  EXPECT_NEAR(q.volume, 24, 1e-12);  // positive: outwards
  EXPECT_EQ(q.genus, 0);
}

TEST(Boundary, KeepsTheOrderOfTheTets) {
  const std::vector<std::array<int, 4>> tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  const std::vector<BoundaryFace> faces = boundary_faces(tets);
  ASSERT_EQ(faces.size(), 6U);
  EXPECT_EQ(faces[0].corners, (std::array<int, 3>{0, 3, 2}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(faces[i].tet, i < 3 ? 0 : 1);
}

TEST(Normals, OfABallPointOutwardsAndHaveUnitLength) {
  const TetMesh mesh = ball(2, 6);
  const SurfaceMesh surface = boundary(mesh);
  const std::vector<SurfacePart> parts = surface_parts({.tets = mesh.tets});
  ASSERT_EQ(parts.size(), 1U);
  std::vector<float> points;
  gather(parts, as_points(mesh.vertices), points);
  std::vector<float> normals;
  vertex_normals(points, parts[0].triangles, normals);
  ASSERT_EQ(normals.size(), points.size());
  for (std::size_t i = 0; i < points.size(); i += 3) {
    const double length = std::hypot(normals[i], normals[i + 1], normals[i + 2]);
    EXPECT_NEAR(length, 1, 1e-6);
    const double radius = std::hypot(points[i], points[i + 1], points[i + 2]);
    const double cosine = (double{normals[i]} * points[i] + double{normals[i + 1]} * points[i + 1] +
                           double{normals[i + 2]} * points[i + 2]) /
                          radius;
    EXPECT_GT(cosine, 0.9);
  }
}

TEST(Normals, WeighTrianglesByArea) {
  // Vertex 0 has a triangle of area 1/2 facing z and one of area 1 facing x.
  const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
  std::vector<float> normals;
  vertex_normals(points, triangles, normals);
  EXPECT_NEAR(normals[0], 2 / std::sqrt(5.0), 1e-6);
  EXPECT_NEAR(normals[2], 1 / std::sqrt(5.0), 1e-6);
  EXPECT_EQ(normals[3 + 2], 1);  // vertex 1: z only
}

// Two tets of body 1, a triangle of body 0, two edges of body 4.
struct Mixed {
  std::vector<double> points;
  std::vector<std::array<int, 4>> tets = {{3, 4, 5, 6}, {4, 5, 6, 7}};
  std::vector<int> tet_body = {1, 1};
  std::vector<std::array<int, 3>> triangles = {{0, 2, 1}};
  std::vector<int> triangle_body = {0};
  std::vector<std::array<int, 2>> edges = {{8, 9}, {9, 10}};
  std::vector<int> edge_body = {4, 4};
  std::vector<std::string> names = {"cloth", "a bar"};
  Mixed() {
    for (int i = 0; i < 33; ++i) points.push_back(std::sin(1.0 + 3 * i));
  }
  [[nodiscard]] FrameGeometry geometry() const {
    return {tets, tet_body, triangles, triangle_body, edges, edge_body, names};
  }
};

TEST(Parts, AreTheBodiesInTheirOrder) {
  const Mixed mixed;
  const std::vector<SurfacePart> parts = surface_parts(mixed.geometry());
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "cloth");
  EXPECT_EQ(parts[0].vertices, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(parts[0].triangles, (std::vector<std::array<int, 3>>{{0, 2, 1}}));
  EXPECT_EQ(parts[1].name, "a bar");
  EXPECT_EQ(parts[1].vertices, (std::vector<int>{3, 4, 5, 6, 7}));
  EXPECT_EQ(parts[1].triangles.size(), 6U);
  EXPECT_EQ(parts[2].name, "body5");
  EXPECT_EQ(parts[2].edges, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}}));
  EXPECT_EQ(vertex_count(parts), 11U);
}

TEST(WriteSurface, PlyAndObjReadBackExactly) {
  const Mixed mixed;
  const std::vector<SurfacePart> parts = surface_parts(mixed.geometry());
  const TempFolder folder;
  for (const char* name : {"s.ply", "s.obj"}) {
    const auto file = folder.path() / name;
    write_surface(file, {.parts = parts, .points = mixed.points, .velocity = mixed.points});
    const SurfaceMesh back = read_surface(file);
    ASSERT_EQ(back.vertices.size(), 8U) << name;  // those of edges are no part of a surface
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(back.vertices[i / 3][i % 3], mixed.points[i]);
    ASSERT_EQ(back.triangles.size(), 7U);
    EXPECT_EQ(back.triangles[0], (std::array<int, 3>{0, 2, 1}));
    EXPECT_EQ(back.triangles[1], (std::array<int, 3>{3, 6, 5}));
  }
  const std::string obj = read_text(folder.path() / "s.obj");
  for (const char* text : {"o cloth\n", "o a_bar\n", "o body5\n", "l 9 10\n"}) {
    EXPECT_NE(obj.find(text), std::string::npos) << text;
  }
}

TEST(WriteSurface, StlReadsBackInSinglePrecision) {
  const TetMesh mesh = block({1, 1, 1}, {2, 2, 2});
  const TempFolder folder;
  const auto file = folder.path() / "s.stl";
  const std::vector<SurfacePart> parts = surface_parts({.tets = mesh.tets});
  write_surface(file, {.parts = parts, .points = as_points(mesh.vertices)});
  const SurfaceQuality q = surface_quality(read_surface(file));
  EXPECT_EQ(q.vertices, parts[0].vertices.size());
  EXPECT_TRUE(q.closed() && q.oriented());
  EXPECT_NEAR(q.volume, 1, 1e-6);
}

TEST(WriteMesh, TetsReadBackExactlyInEveryFormat) {
  TetMesh mesh = ball(1.0 / 3, 3);
  mesh.vertices[0][0] = 1e-300;
  mesh.vertices[1][1] = -1.2345678901234567e200;
  const TempFolder folder;
  for (const char* name : {"m.msh", "m.mesh", "m.node", "n.ele", "m.vtu"}) {
    write_mesh(folder.path() / name, mesh);
    const TetMesh back = read_mesh(folder.path() / name);
    EXPECT_EQ(back.vertices, mesh.vertices) << name;
    EXPECT_EQ(back.tets, mesh.tets) << name;
  }
  EXPECT_THROW(write_mesh(folder.path() / "m.obj", mesh), Error);
}

TEST(WriteMesh, SurfacesReadBackExactlyInEveryFormat) {
  const TetMesh mesh = block({1, 2, 0.3}, {1, 1, 1});
  const SurfaceMesh surface = boundary(mesh);
  const TempFolder folder;
  for (const char* name : {"m.msh", "m.mesh", "m.vtu", "m.ply", "m.obj"}) {
    write_mesh(folder.path() / name, surface);
    const SurfaceMesh back = read_surface(folder.path() / name);
    EXPECT_EQ(back.vertices, surface.vertices) << name;
    EXPECT_EQ(back.triangles, surface.triangles) << name;
  }
  EXPECT_THROW(write_mesh(folder.path() / "m.xyz", surface), Error);
  EXPECT_THROW(write_mesh(folder.path() / "no/such/folder.obj", surface), Error);
}

}  // namespace
}  // namespace lilyan::test::surface_test
