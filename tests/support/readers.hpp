// Every reader of mesh files, from bytes in memory, and what each promises about what it returns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/mesh_quality.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/vtu.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::test {

// Thrown, rather than judged with GoogleTest, so that the same lines serve a fuzzer.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

template <std::size_t N>
void require_sound(const std::vector<std::array<double, 3>>& vertices,
                   const std::vector<std::array<int, N>>& cells, bool all_used) {
  std::vector<bool> used(vertices.size(), false);
  for (std::array<int, N> cell : cells) {
    for (const int v : cell) {
      require(v >= 0 && static_cast<std::size_t>(v) < vertices.size(), "an index out of range");
      used[static_cast<std::size_t>(v)] = true;
    }
    std::ranges::sort(cell);
    require(!all_used || std::ranges::adjacent_find(cell) == cell.end(), "a vertex twice");
  }
  require(!all_used || std::ranges::count(used, false) == 0, "an unused vertex");
  for (const auto& vertex : vertices) {
    for (const double x : vertex) require(std::isfinite(x), "a coordinate that is not finite");
  }
}

inline void require_sound(const TetMesh& mesh) {
  require(!mesh.tets.empty(), "no tets");
  require_sound(mesh.vertices, mesh.tets, true);
  static_cast<void>(tet_quality(mesh));
}

inline void require_sound(const SurfaceMesh& mesh) {
  require(!mesh.triangles.empty(), "no triangles");
  require_sound(mesh.vertices, mesh.triangles, true);
  static_cast<void>(surface_quality(mesh));
}

inline void require_sound(const VtuContent& content) {
  require_sound(content.points, content.tets, false);
  require_sound(content.points, content.triangles, false);
  require_sound(content.points, content.edges, false);
  require(content.tet_body.size() == content.tets.size(), "a body for every tet");
  require(content.triangle_body.size() == content.triangles.size(), "a body for every triangle");
  require(content.edge_body.size() == content.edges.size(), "a body for every edge");
}

struct Reader {
  const char* name;
  // Reads and checks; throws InputError for a file that cannot be used.
  void (*read)(std::string_view bytes);
};

// The second file of a TetGen mesh.
inline constexpr std::string_view kFuzzNode = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
inline constexpr std::string_view kFuzzEle = "1 4 0\n1 1 2 3 4\n";

inline const std::vector<Reader>& readers() {
  static const std::vector<Reader> kReaders = {
      {"gmsh", [](std::string_view b) { require_sound(read_gmsh("f", b)); }},
      {"gmsh_surface", [](std::string_view b) { require_sound(read_gmsh_surface("f", b)); }},
      {"medit", [](std::string_view b) { require_sound(read_medit("f", b)); }},
      {"medit_surface", [](std::string_view b) { require_sound(read_medit_surface("f", b)); }},
      {"tetgen_node",
       [](std::string_view b) {
         require_sound(read_tetgen({"f", b}, {"g", kFuzzEle}));
       }},
      {"tetgen_ele",
       [](std::string_view b) {
         require_sound(read_tetgen({"f", kFuzzNode}, {"g", b}));
       }},
      {"obj", [](std::string_view b) { require_sound(read_obj("f", b)); }},
      {"ply", [](std::string_view b) { require_sound(read_ply("f", b)); }},
      {"stl", [](std::string_view b) { require_sound(read_stl("f", b)); }},
      {"vtu", [](std::string_view b) { require_sound(read_vtu("f", b)); }},
      {"vtu_mesh", [](std::string_view b) { require_sound(read_vtu_mesh("f", b)); }},
      {"vtu_surface", [](std::string_view b) { require_sound(read_vtu_surface("f", b)); }},
  };
  return kReaders;
}

}  // namespace lilyan::test
