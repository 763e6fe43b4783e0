// Which format a .msh or .mesh file has: the two are easily taken for each other, and the first
// word tells.
#pragma once

#include <string_view>

namespace lilyan {

[[nodiscard]] inline bool is_gmsh(std::string_view extension, std::string_view bytes) {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos) {
    bytes.remove_prefix(start);
    if (bytes.starts_with('$')) return true;
    if (bytes.starts_with("MeshVersion")) return false;
  }
  return extension == ".msh";
}

}  // namespace lilyan
