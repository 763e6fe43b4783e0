// VTK XML unstructured grids (.vtu).
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/mesh.hpp"

namespace lilyan {

// What is used of a file, pieces one after the other.
struct VtuContent {
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<double, 3>> velocity;  // empty: the file has none
  std::vector<std::array<int, 4>> tets;
  std::vector<std::array<int, 3>> triangles;  // and quads, polygons and strips, cut into triangles
  std::vector<std::array<int, 2>> edges;      // and polylines
  // The cells' numbers in the cell array "body"; all 0 if there is none.
  std::vector<int> tet_body;
  std::vector<int> triangle_body;
  std::vector<int> edge_body;
  std::size_t other_cells = 0;  // of types that are passed over
  std::size_t curved_tets = 0;  // of these, tets of order 2
};

// Arrays may be ASCII, binary (inline base64) or appended (raw, base64), of any type and byte
// order, plain or compressed with zlib. Throws InputError naming file and line. file is the name
// that errors show; bytes is its content.
[[nodiscard]] VtuContent read_vtu(const std::string& file, std::string_view bytes);
[[nodiscard]] VtuContent read_vtu(const std::filesystem::path& path);

[[nodiscard]] TetMesh read_vtu_mesh(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_vtu_surface(const std::string& file, std::string_view bytes);

}  // namespace lilyan
