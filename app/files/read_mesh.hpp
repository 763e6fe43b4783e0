// Tetrahedral meshes from files.
#pragma once

#include <filesystem>

#include "lilyan/physics/mesh.hpp"

namespace lilyan {

// Reads a mesh, choosing the format by extension and content:
//   .msh         Gmsh 2.2 and 4.1, ASCII and binary
//   .mesh        Medit ASCII
//   .node, .ele  TetGen (either names the pair)
//   .vtu         VTK XML unstructured grid, as a run's frames are
// Only linear tetrahedra are kept. Vertices that no tet uses are dropped and the rest renumbered
// in the file's order. Throws InputError naming file and line (byte offset for binary) when the
// file cannot be used: missing, truncated, not a number, not finite, index out of range, a vertex
// twice in one tet, no tetrahedra.
// Orientation and volume are not judged here (the body's rest shape decides that).
[[nodiscard]] TetMesh read_mesh(const std::filesystem::path& path);

}  // namespace lilyan
