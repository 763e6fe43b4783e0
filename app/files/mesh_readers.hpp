// The readers of mesh files, from bytes in memory. read_mesh() and read_surface() in mesh.hpp
// choose among them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/files/mesh.hpp"

namespace lilyan {

// `file` is the name that errors show; `bytes` is its content. All throw InputError.

// Gmsh (.msh), versions 2.2 and 4.1, ASCII and binary.
[[nodiscard]] TetMeshOfFile read_gmsh(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_gmsh_surface(const std::string& file, std::string_view bytes);
// Medit (.mesh), ASCII.
[[nodiscard]] TetMeshOfFile read_medit(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_medit_surface(const std::string& file, std::string_view bytes);
// VTK XML unstructured grids (.vtu); vtu.hpp reads everything that a run's frames hold.
[[nodiscard]] TetMeshOfFile read_vtu_mesh(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_vtu_surface(const std::string& file, std::string_view bytes);

// TetGen: a .node file of points and an .ele file of tetrahedra.
struct TetgenFile {
  std::string name;
  std::string_view bytes;
};
[[nodiscard]] TetMeshOfFile read_tetgen(const TetgenFile& node, const TetgenFile& ele);
// `path` is either file of the pair.
[[nodiscard]] TetMeshOfFile read_tetgen(const std::filesystem::path& path);

// Formats that hold surfaces only.
[[nodiscard]] SurfaceMesh read_obj(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_ply(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_stl(const std::string& file, std::string_view bytes);

}  // namespace lilyan
