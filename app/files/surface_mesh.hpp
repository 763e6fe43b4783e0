// Triangle meshes from files.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace lilyan {

// Vertices are 3D points; a triangle lists three vertex indices, counted from 0, counterclockwise
// seen from outside.
struct SurfaceMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::size_t unused_vertices = 0;  // of the file, dropped because no triangle has them
  std::size_t dropped_faces = 0;    // triangles of the file with a vertex twice
};

// Reads a surface, choosing the format by extension and content:
//   .obj         Wavefront
//   .ply         PLY, ASCII and binary
//   .stl         STL, ASCII and binary; equal points become one vertex
//   .msh, .mesh  triangles and quads of Gmsh and Medit files
//   .vtu         triangles, quads and polygons of VTK XML unstructured grids
// Polygons are cut into fans. Vertices that no triangle uses are dropped. Throws InputError as
// read_mesh does, and when the file has no triangles.
[[nodiscard]] SurfaceMesh read_surface(const std::filesystem::path& path);

}  // namespace lilyan
