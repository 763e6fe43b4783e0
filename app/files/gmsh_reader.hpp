// Gmsh meshes (.msh), versions 2.2 and 4.1, ASCII and binary.
#pragma once

#include <string>
#include <string_view>

#include "app/files/surface_mesh.hpp"
#include "lilyan/physics/mesh.hpp"

namespace lilyan {

// file is the name that errors show; bytes is its content.
[[nodiscard]] TetMesh read_gmsh(const std::string& file, std::string_view bytes);
// The triangles and quads of such a file, whatever tets it has.
[[nodiscard]] SurfaceMesh read_gmsh_surface(const std::string& file, std::string_view bytes);

}  // namespace lilyan
