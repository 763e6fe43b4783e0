// Meshes into files.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/files/surface_mesh.hpp"
#include "lilyan/physics/mesh.hpp"

namespace lilyan {

// Writes tets in the format of the extension, with numbers that read back as they are. Throws Error
// for an unknown one and when the file cannot be written.
//   .msh         Gmsh 2.2, ASCII
//   .mesh        Medit, ASCII
//   .node, .ele  TetGen: both files, whichever is named
//   .vtu         VTK
void write_mesh(const std::filesystem::path& path, const TetMesh& mesh);

// Writes triangles: .msh, .mesh and .vtu as above, and the formats of write_surface().
void write_mesh(const std::filesystem::path& path, const SurfaceMesh& mesh);

// Whether tets can be written so.
[[nodiscard]] bool is_tet_extension(std::string_view extension);

}  // namespace lilyan
