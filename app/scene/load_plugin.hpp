// Methods and materials of the user's own, from a shared object.
#pragma once

#include <filesystem>

namespace lilyan {

// Loads a file that was made with lilyan/plugin.hpp and adds what it has to the methods and materials. Throws
// InputError for a file that is none, that is for another version, or that adds a name which is taken.
void load_plugin(const std::filesystem::path& file);

}  // namespace lilyan
