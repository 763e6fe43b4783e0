// TetGen meshes: a .node file of points and an .ele file of tetrahedra.
#pragma once

#include <filesystem>

#include "lilyan/io/mesh.hpp"

namespace lilyan {

// path is either file of the pair.
[[nodiscard]] TetMesh read_tetgen(const std::filesystem::path& path);

}  // namespace lilyan
