#include "app/files/tetrahedralize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "app/files/mesh_quality.hpp"
#include "app/files/process.hpp"
#include "app/files/surface.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan::tetrahedralize_test {
namespace {

SurfaceMesh boundary(const TetMesh& mesh) {
  SurfaceMesh surface;
  const std::vector<SurfacePart> parts = surface_parts({.tets = mesh.tets});
  for (const int v : parts[0].vertices) {
    surface.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
  }
  surface.triangles = parts[0].triangles;
  return surface;
}

// Adds another surface, moved along x, inside out if asked.
void add(SurfaceMesh& to, const SurfaceMesh& other, double x, bool inside_out) {
  const int first = static_cast<int>(to.vertices.size());
  for (std::array<double, 3> v : other.vertices) {
    v[0] += x;
    to.vertices.push_back(v);
  }
  for (std::array<int, 3> t : other.triangles) {
    for (int& v : t) v += first;
    if (inside_out) std::swap(t[0], t[1]);
    to.triangles.push_back(t);
  }
}

// A block of 1 with a cavity of 0.5³, beside a block of 1 without.
SurfaceMesh hollow() {
  SurfaceMesh surface = boundary(block({1, 1, 1}, {1, 1, 1}));
  const SurfaceMesh outer = surface;
  add(surface, boundary(block({0.5, 0.5, 0.5}, {1, 1, 1})), 0, true);
  add(surface, outer, 3, false);
  return surface;
}

TEST(Shells, CavitiesAreToldFromBodies) {
  const std::vector<Shell> shells = shells_of(hollow());
  ASSERT_EQ(shells.size(), 3U);
  EXPECT_FALSE(shells[0].cavity);
  EXPECT_TRUE(shells[1].cavity);
  EXPECT_EQ(shells[1].outer, 0);
  EXPECT_FALSE(shells[2].cavity);
  EXPECT_NEAR(shells[1].volume, -0.125, 1e-15);
  for (const double x : shells[1].inside) EXPECT_LT(std::abs(x), 0.25);
}

class Tools : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!find_program(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
    options_.tool = GetParam();
  }
  TetrahedralizeOptions options_;
};

TEST_P(Tools, FillABall) {
  options_.max_volume = 0.05;
  const SurfaceMesh surface = boundary(ball(1, 4));
  const TetMesh mesh = tetrahedralize(surface, "ball", options_);
  const TetQuality q = tet_quality(mesh);
  EXPECT_EQ(q.inverted + q.flat, 0U);
  EXPECT_NEAR(q.volume, surface_quality(surface).volume, 1e-9);
  EXPECT_EQ(q.components, 1U);
  EXPECT_TRUE(q.surface.closed() && q.surface.manifold());
}

TEST_P(Tools, LeaveCavitiesEmpty) {
  const TetMesh mesh = tetrahedralize(hollow(), "hollow", options_);
  const TetQuality q = tet_quality(mesh);
  EXPECT_NEAR(q.volume, 2 - 0.125, 1e-9);
  EXPECT_EQ(q.components, 2U);
}

TEST_P(Tools, RefuseASurfaceThatCutsItself) {
  SurfaceMesh surface = boundary(block({1, 1, 1}, {1, 1, 1}));
  const SurfaceMesh other = surface;
  add(surface, other, 0.37, false);
  for (std::size_t i = other.vertices.size(); i < surface.vertices.size(); ++i) {
    surface.vertices[i][1] += 0.21;
    surface.vertices[i][2] += 0.13;
  }
  try {
    static_cast<void>(tetrahedralize(surface, "cut.obj", options_));
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("cut.obj: the surface cuts itself")) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Tools, testing::Values("tetgen", "gmsh"));

TEST(Tetrahedralize, AimsAtANumberOfVertices) {
  if (!find_program("tetgen")) GTEST_SKIP() << "tetgen is not installed";
  TetrahedralizeOptions options;
  options.tool = "tetgen";
  options.vertices = 1000;
  const TetMesh mesh = tetrahedralize(boundary(ball(1, 4)), "ball", options);
  EXPECT_NEAR(static_cast<double>(mesh.vertices.size()), 1000, 120);
}

TEST(Tetrahedralize, RefusesWhatIsNoClosedSurface) {
  if (!find_program("tetgen") && !find_program("gmsh")) GTEST_SKIP() << "no tool is installed";
  SurfaceMesh open = boundary(block({1, 1, 1}, {1, 1, 1}));
  open.triangles.pop_back();
  try {
    static_cast<void>(tetrahedralize(open, "open.stl", {}));
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("open.stl: the surface is open: 3 of its 18 edges"), std::string::npos)
        << text;
  }
}

TEST(Tetrahedralize, SaysWhatToInstall) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  std::string text;
  try {
    static_cast<void>(tetrahedralize(boundary(block({1, 1, 1}, {1, 1, 1})), "s", {}));
  } catch (const Error& error) {
    text = error.what();
  }
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(text,
            "neither tetgen nor gmsh is installed: on Debian and Ubuntu, `apt install tetgen`");
}

TEST(SelfIntersections, AreEdgesThroughTriangles) {
  std::vector<std::array<double, 3>> vertices = {{0, 0, 0},  {4, 0, 0}, {0, 4, 0},
                                                 {1, 1, -1}, {1, 1, 1}, {9, 9, 1}};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(self_intersections(vertices, triangles, 9), (std::vector<std::pair<int, int>>{{0, 1}}));
  vertices[3][2] = 0.5;  // above the plane
  EXPECT_TRUE(self_intersections(vertices, triangles, 9).empty());
  vertices[3] = {5, 5, -1};  // beside the triangle
  vertices[4] = {5, 5, 1};
  EXPECT_TRUE(self_intersections(vertices, triangles, 9).empty());
  const SurfaceMesh ball_surface = boundary(ball(1, 5));
  EXPECT_TRUE(self_intersections(ball_surface.vertices, ball_surface.triangles, 9).empty());
}

TEST(Orient, TurnsInvertedTets) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}, {1, 0, 2, 3}}};
  EXPECT_EQ(orient(mesh), 1U);
  EXPECT_EQ(tet_quality(mesh).inverted, 0U);
}

TEST(Process, RunsWithoutAShellInAFolder) {
  const WorkFolder folder;
  const ProcessResult result = run_process("/bin/echo", {"$HOME; ls", "*"}, folder.path());
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "$HOME; ls *\n");
  EXPECT_EQ(run_process("/bin/pwd", {"-P"}, folder.path()).output,
            std::filesystem::canonical(folder.path()).string() + "\n");
  EXPECT_EQ(run_process("/bin/false", {}, folder.path()).code, 1);
  EXPECT_THROW(static_cast<void>(run_process("/no/such/program", {}, folder.path())), Error);
}

}  // namespace
}  // namespace lilyan::tetrahedralize_test
