// Meshes whose parts do not share the vertices where they touch.
#include <gtest/gtest.h>

#include <string>

#include "app/files/merge.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::test::merge_test {
namespace {

// Two blocks side by side with a vertex of their own each at the places where they touch; the second is `gap` away.
TetMesh two_blocks(double gap, double far = 0) {
  TetMesh mesh = block({1, 1, 1}, {2, 2, 2});
  TetMesh other = block({1, 1, 1}, {2, 2, 2});
  const int first = static_cast<int>(mesh.vertices.size());
  for (auto p : other.vertices) mesh.vertices.push_back({p[0] + 1 + gap, p[1], p[2]});
  for (auto t : other.tets) {
    for (int& v : t) v += first;
    mesh.tets.push_back(t);
  }
  for (auto& p : mesh.vertices) p[1] += far;
  return mesh;
}

TEST(Merge, SaysWherePartsTouch) {
  const MeshParts found = parts_of(two_blocks(0));
  EXPECT_EQ(found.parts, 2U);
  EXPECT_EQ(found.touching, 9U);
  EXPECT_EQ(found.doubled, 0U);
  EXPECT_EQ(parts_of(two_blocks(0, 1e6)).touching, 9U);
  EXPECT_NE(describe_tears(two_blocks(1e-7)).find("2 parts that touch at 9 points"),
            std::string::npos);
  EXPECT_NE(describe_tears(two_blocks(1e-7)).find("merge = true joins them"), std::string::npos);
  EXPECT_NE(describe_tears(two_blocks(1e-4)).find("nearly touch at 9 points, within 1e-04"),
            std::string::npos)
      << describe_tears(two_blocks(1e-4));
  EXPECT_NE(describe_tears(two_blocks(0.3)).find("2 parts that share no vertex"),
            std::string::npos);
  EXPECT_EQ(describe_tears(block({1, 1, 1}, {3, 3, 3})), "");
}

TEST(Merge, SaysWhereOnePartIsTorn) {
  // A ring of four quads with one seam.
  SurfaceMesh ring;
  for (int i = 0; i <= 4; ++i) {
    const double x = i % 4 == 1 ? 1 : i % 4 == 3 ? -1 : 0;
    const double y = i % 4 == 0 ? 1 : i % 4 == 2 ? -1 : 0;
    for (const double z : {0.0, 1.0}) ring.vertices.push_back({x, y, z});
    if (i == 0) continue;
    ring.triangles.push_back({2 * i - 2, 2 * i, 2 * i + 1});
    ring.triangles.push_back({2 * i - 2, 2 * i + 1, 2 * i - 1});
  }
  EXPECT_EQ(parts_of(ring).doubled, 2U);
  EXPECT_NE(describe_tears(ring).find("a tear"), std::string::npos);
  EXPECT_EQ(merge_vertices(ring, kMergeShare), 2U);
  EXPECT_EQ(describe_tears(ring), "");
  EXPECT_EQ(ring.vertices.size(), 8U);
}

TEST(Merge, JoinsVerticesAndKeepsElements) {
  TetMesh mesh = two_blocks(1e-7);
  const TetMesh before = mesh;
  EXPECT_EQ(merge_vertices(mesh, 1e-9), 0U);
  EXPECT_EQ(mesh.tets, before.tets);
  EXPECT_EQ(merge_vertices(mesh, kMergeShare), 9U);
  EXPECT_EQ(mesh.vertices.size(), 45U);
  ASSERT_EQ(mesh.tets.size(), before.tets.size());
  for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
    for (std::size_t c = 0; c < 4; ++c) {
      const auto& p = mesh.vertices[static_cast<std::size_t>(mesh.tets[e][c])];
      const auto& q = before.vertices[static_cast<std::size_t>(before.tets[e][c])];
      for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(p[a], q[a], 1e-6);
    }
  }
  EXPECT_EQ(parts_of(mesh).parts, 1U);
}

TEST(Merge, RefusesToFlattenElements) {
  TetMesh mesh = two_blocks(0);
  try {
    merge_vertices(mesh, 0.5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("two corners of element 0"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lilyan::test::merge_test
