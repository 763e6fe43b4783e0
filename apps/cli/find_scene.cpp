#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/parameter.hpp"

namespace lilyan::cli {
namespace fs = std::filesystem;

fs::path find_scene(const std::string& argument) {
  if (fs::is_regular_file(argument)) return argument;
  const bool bare =
      argument.find('/') == std::string::npos && fs::path(argument).extension() != ".toml";
  if (!bare) throw InputError({argument}, "there is no such scene file");

  std::vector<std::string> names;
  for (const fs::path& folder : {fs::path("scenes"), fs::path(LILYAN_SCENES)}) {
    if (!fs::is_directory(folder)) continue;
    if (fs::path file = folder / (argument + ".toml"); fs::is_regular_file(file)) return file;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw InputError({argument},
                   fmt::format("there is no scene of this name{}", suggestion(argument, names)));
}

}  // namespace lilyan::cli
