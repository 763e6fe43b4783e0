// Scenes under libFuzzer: any text is a scene that is ready to run, or InputError. See CMakeLists.txt here
// for how it is built.
//
// What is behind the last line "--set" are settings, one a line, as the live view's clients may send them: files
// that they name must not be read.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"

namespace {

// A folder without other files, so that a scene cannot name one by accident. In memory, because each
// execution writes it.
const std::filesystem::path& scene_file() {
  static const std::filesystem::path kFile = [] {
    const auto folder =
        std::filesystem::path("/dev/shm") / ("lilyan-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    return folder / "scene.toml";
  }();
  return kFile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  lilyan::SceneChanges changes;
  constexpr std::string_view kSettings = "\n--set\n";
  if (const std::size_t at = text.rfind(kSettings); at != std::string_view::npos) {
    std::string_view rest = text.substr(at + kSettings.size());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      changes.settings.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    changes.without_files = changes.settings;
    text = text.substr(0, at + 1);
  }
  std::ofstream(scene_file(), std::ios::binary) << text;
  try {
    const lilyan::Scene scene = lilyan::load_scene(scene_file(), changes);
    if (!scene.system || scene.initial.x.size() != scene.initial.v.size()) std::abort();
    (void)describe_size(scene);
    (void)describe_plan(scene);
  } catch (const lilyan::InputError&) {
  }
  return 0;
}
