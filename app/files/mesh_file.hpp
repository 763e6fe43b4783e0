// A mesh file's bytes, whole in memory.
#pragma once

#include <filesystem>
#include <string>

namespace lilyan {

// Throws InputError when the file is missing, no regular file, unreadable or empty.
[[nodiscard]] std::string load_mesh_file(const std::filesystem::path& path);

}  // namespace lilyan
