#include "app/report/folder/saved_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/files/file.hpp"
#include "app/files/process.hpp"
#include "app/files/vital_memory.hpp"
#include "app/report/folder/choose_folder.hpp"
#include "app/scene/body/distribution.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

// A resolved scene without the lines that say how long it runs.
std::string without_length(const std::string& resolved) {
  std::string rest;
  std::istringstream lines(resolved);
  lines.exceptions(std::ios::badbit);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("steps = ") && !line.starts_with("duration = ")) rest += line + "\n";
  }
  return rest;
}

// Why a run cannot go on with another kind of processes.
const char* ranks_differ(bool shared) {
  return shared ? "this is a run of several ranks, which go on with it: ./lilyan run --resume "
                  "FOLDER --ranks N, with any N"
                : "this is a run of one process, which goes on with it: without --ranks; a run of "
                  "several ranks can start from its last frame (--from)";
}

}  // namespace

bool same_but_length(const std::string& resolved, const std::string& other) {
  return without_length(resolved) == without_length(other);
}

Scene scene_to_resume(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const std::optional<int>& steps, const Distribution* ranks) {
  const std::filesystem::path file = folder / "scene.resolved.toml";
  const CheckpointHead& head = checkpoint.head;
  if (head.shared != (ranks != nullptr)) {
    throw InputError({checkpoint.file.string(), 0, 0}, ranks_differ(head.shared));
  }
  if (!same_but_length(read_file(file), head.resolved)) {
    throw InputError({file.string(), 0, 0},
                     "this is not the scene that the checkpoint was written with; run it anew");
  }
  Scene scene = load_scene(file, {.steps = steps, .ranks = ranks});
  scene.name = head.scene_name;
  if (scene.settings.variable_steps()) return scene;
  if (scene.settings.steps < head.step) {
    throw Error(
        fmt::format("the run in {} has made {} steps already: --steps counts them from its start",
                    folder.string(), head.step));
  }
  const double counted = scene.initial.t + head.step * scene.settings.step;
  if (steps && counted != head.t) {
    throw Error(fmt::format(
        "the last steps of the run in {} were shortened to end at its duration: it cannot be made "
        "longer, but a run can start from its last frame (--from)",
        folder.string()));
  }
  return scene;
}

void refuse_without_checkpoint(const std::filesystem::path& folder) {
  const std::filesystem::path scene = folder / "scene.resolved.toml";
  if (has_checkpoint(folder) || !std::filesystem::exists(scene)) return;
  const SourceLocation place{folder.string(), 0, 0};
  if (is_locked(folder)) {
    throw InputError(place, "a run is writing into it, and has not saved a checkpoint yet");
  }
  const VitalMemory guard;
  std::ifstream stream(folder / "run.json");
  using namespace nlohmann::literals;
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || json.value("status", "") != "running") return;
  const int ranks = json.value("/solver/ranks"_json_pointer, 1);
  throw InputError(
      place,
      fmt::format(
          "the run in it was killed before its first checkpoint, so that nothing is there to "
          "go on from (checkpoint.bin is missing); to make the run from its start: ./lilyan "
          "run {} -o {} --overwrite{}",
          quoted_for_shell(scene.string()), quoted_for_shell(folder.string()),
          ranks > 1 ? fmt::format(" --ranks {}", ranks) : ""));
}

}  // namespace lilyan
