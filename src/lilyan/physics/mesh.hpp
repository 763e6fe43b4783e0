// Meshes of tetrahedra.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace lilyan {

// Vertices are 3D points; a tet lists four vertex indices, counted from 0, positively oriented
// when (b-a)·((c-a)×(d-a)) > 0.
struct TetMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 4>> tets;
  std::size_t unused_vertices = 0;  // of the file, dropped because no tet has them
};

}  // namespace lilyan
