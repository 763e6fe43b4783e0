// Meshes of tetrahedra and of triangles, from and into files.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/surface.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan {

// Tets as a file has them.
struct TetMeshOfFile : TetMesh {
  std::string
      left_out;  // cells of the file that are neither tets nor their boundary: "12 triangles"
};

// Vertices are 3D points; a triangle lists three vertex indices, counted from 0, counterclockwise
// seen from outside.
struct SurfaceMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<TriangleTexture> texture = {};  // of each triangle; empty: the file has none
  std::size_t unused_vertices = 0;            // of the file, dropped because no triangle has them
  std::size_t dropped_faces = 0;              // of the file, with fewer than three vertices
  std::string left_out =
      {};  // cells of the file that are neither faces nor their boundary: "29 tetrahedra"
};

// Thrown where a sound file has none of the cells that are asked for.
class NoSuchCells : public InputError {
 public:
  using InputError::InputError;
};

// Reads tets, choosing the format by extension and content:
//   .msh         Gmsh 2.2 and 4.1, ASCII and binary
//   .mesh        Medit ASCII
//   .node, .ele  TetGen (either names the pair)
//   .vtu         VTK XML unstructured grid, as a run's frames are
// Only linear tetrahedra are read; a file with other elements of three dimensions is refused. Vertices that no
// tet uses are dropped and the rest renumbered in the file's order. Throws InputError naming file and line (byte
// offset for binary) when the file cannot be used: missing, truncated, not a number, not finite, index out of
// range, a vertex twice in one tet, no tetrahedra (NoSuchCells).
// Orientation and volume are not judged here (the body's rest shape decides that).
[[nodiscard]] TetMeshOfFile read_mesh(const std::filesystem::path& path);

// Reads a surface, choosing the format by extension and content:
//   .obj         Wavefront
//   .ply         PLY, ASCII and binary
//   .stl         STL, ASCII and binary; equal points become one vertex
//   .msh, .mesh  triangles and quads of Gmsh and Medit files
//   .vtu         triangles, quads and polygons of VTK XML unstructured grids
// Polygons are cut into triangles (polygon.hpp). Vertices that no triangle uses are dropped. Throws InputError as
// read_mesh does, for curved faces and polygons that cut themselves, and NoSuchCells when there are no faces.
[[nodiscard]] SurfaceMesh read_surface(const std::filesystem::path& path);

// Writes tets in the format of the extension, with numbers that read back as they are. Throws Error
// for an unknown one and when the file cannot be written.
//   .msh         Gmsh 2.2, ASCII
//   .mesh        Medit, ASCII
//   .node, .ele  TetGen: both files, whichever is named
//   .vtu         VTK
void write_mesh(const std::filesystem::path& path, const TetMesh& mesh);

// Writes triangles: .msh, .mesh and .vtu as above, and the formats of write_surface().
void write_mesh(const std::filesystem::path& path, const SurfaceMesh& mesh);

// Whether write_mesh() knows a format of this extension for tets.
[[nodiscard]] bool is_tet_extension(std::string_view extension);

}  // namespace lilyan
