// The formats that hold surfaces only.
#pragma once

#include <string>
#include <string_view>

#include "app/files/surface_mesh.hpp"

namespace lilyan {

// file is the name that errors show; bytes is its content.
[[nodiscard]] SurfaceMesh read_obj(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_ply(const std::string& file, std::string_view bytes);
[[nodiscard]] SurfaceMesh read_stl(const std::string& file, std::string_view bytes);

}  // namespace lilyan
