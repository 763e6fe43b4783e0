// Meshes whose parts do not share the vertices where they touch.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"

namespace lilyan {

// Vertices nearer to each other than this share of the mesh's size, the diagonal of its bounding box, are at the
// same place.
inline constexpr double kMergeShare = 1e-6;

// How a mesh hangs together.
struct MeshParts {
  std::size_t parts = 0;     // connected over vertices
  std::size_t touching = 0;  // places where several parts have vertices, which they do not share
  std::size_t doubled = 0;   // places where one part has several vertices
  double size = 0;           // of the mesh
};
[[nodiscard]] MeshParts parts_of(const TetMesh& mesh, double share = kMergeShare);
[[nodiscard]] MeshParts parts_of(const SurfaceMesh& mesh, double share = kMergeShare);

// "falls apart: …", what the author of a scene should know of this; empty: the mesh is one part without a tear.
[[nodiscard]] std::string describe_tears(const TetMesh& mesh);
[[nodiscard]] std::string describe_tears(const SurfaceMesh& mesh);

// Makes one vertex of those at the same place, the first of them. Returns how many vertices are gone. Throws Error
// where two corners of an element would become one.
std::size_t merge_vertices(TetMesh& mesh, double share);
std::size_t merge_vertices(SurfaceMesh& mesh, double share);

}  // namespace lilyan
