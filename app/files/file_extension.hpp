// The extension of a file's name.
#pragma once

#include <filesystem>
#include <string>

namespace lilyan {

// In lower case, with its dot: "Dragon.MSH" is a Gmsh file as well.
[[nodiscard]] inline std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace lilyan
