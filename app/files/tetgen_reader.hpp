// TetGen meshes: a .node file of points and an .ele file of tetrahedra.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lilyan/physics/mesh.hpp"

namespace lilyan {

// path is either file of the pair.
[[nodiscard]] TetMesh read_tetgen(const std::filesystem::path& path);

// The same from the files' contents; the names are those that errors show.
struct TetgenFile {
  std::string name;
  std::string_view bytes;
};
[[nodiscard]] TetMesh read_tetgen(const TetgenFile& node, const TetgenFile& ele);

}  // namespace lilyan
