// Where scenes are that are named without a path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lilyan {

// The file a scene argument means. Throws InputError with the nearest name when there is none.
[[nodiscard]] std::filesystem::path find_scene(const std::string& argument);
// Names of the scenes in scenes/, sorted.
[[nodiscard]] std::vector<std::string> scene_names();
// The scenes that come with the program: in ../share/lilyan beside the folder of a program that was installed,
// otherwise with the sources.
[[nodiscard]] std::filesystem::path shipped_scenes();
// From now on those in this folder.
void set_shipped_scenes(const std::filesystem::path& folder);
// The scenes for benchmarks, which are with the sources only.
[[nodiscard]] std::filesystem::path bench_scenes();

}  // namespace lilyan
