// Only this file is compiled with the folders of the sources in it, so that a clone that moved compiles one file
// again.
#include "app/scene/find_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"

namespace lilyan {
namespace fs = std::filesystem;

namespace {

fs::path find_shipped_scenes() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (!none) {
    fs::path installed = program.parent_path().parent_path() / "share/lilyan/scenes";
    if (fs::is_directory(installed, none)) return installed;
  }
  return LILYAN_SCENES;
}

fs::path& shipped_folder() {
  static fs::path folder = find_shipped_scenes();
  return folder;
}

std::array<fs::path, 2> scene_folders() { return {fs::path("scenes"), shipped_scenes()}; }

}  // namespace

fs::path shipped_scenes() { return shipped_folder(); }
void set_shipped_scenes(const fs::path& folder) { shipped_folder() = folder; }
fs::path bench_scenes() { return LILYAN_BENCH; }

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : scene_folders()) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path find_scene(const std::string& argument) {
  if (fs::is_regular_file(argument)) return argument;
  const bool bare =
      argument.find('/') == std::string::npos && fs::path(argument).extension() != ".toml";
  if (!bare) throw InputError({argument}, "there is no such scene file");
  for (const fs::path& folder : scene_folders()) {
    if (fs::path file = folder / (argument + ".toml"); fs::is_regular_file(file)) return file;
  }
  throw InputError({argument}, fmt::format("there is no scene of this name{}",
                                           suggestion(argument, scene_names())));
}

}  // namespace lilyan
