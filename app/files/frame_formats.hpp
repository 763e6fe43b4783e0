// The formats that a run can write its frames in.
#pragma once

#include <string>
#include <vector>

namespace lilyan {

// Which axis of a run points up. glTF's is y, and what has z up is turned.
enum class UpAxis { y, z };

[[nodiscard]] inline const std::vector<std::string>& frame_formats() {
  static const std::vector<std::string> kFormats = {"vtu", "ply", "obj", "glb", "usda"};
  return kFormats;
}

}  // namespace lilyan
