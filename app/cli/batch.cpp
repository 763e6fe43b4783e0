#include "app/cli/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/terminal.hpp"
#include "app/files/file.hpp"
#include "app/report/folder/folder_run.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::cli {
namespace {

namespace fs = std::filesystem;

// What a folder says of the run in it.
struct FoundRun {
  bool same = false;   // it is of this scene
  bool done = false;   // with a result that would come out again
  bool saved = false;  // it can go on
  bool cut = false;    // it was killed before it was saved
};

std::optional<FoundRun> find_run(const fs::path& folder, const Scene& scene) {
  if (!fs::exists(folder / "scene.resolved.toml")) return std::nullopt;
  std::ifstream stream(folder / "run.json");
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) return FoundRun{};
  const std::string status = json.value("status", "");
  FoundRun found;
  found.same = read_file(folder / "scene.resolved.toml") == scene.resolved &&
               json.value("start_digest", "") == fmt::format("{:016x}", start_digest(scene));
  found.done = status == "finished" || status == "event" ||
               (status == "failed" && json.value("diverged", false));
  found.saved = (status == "running" || status == "interrupted") && has_checkpoint(folder);
  found.cut = status == "running" && !found.saved;
  return found;
}

// The run in the folder from where it was saved, if it can go on; otherwise from its start.
std::unique_ptr<FolderRun> open_run(const fs::path& folder, const Scene& scene, Earlier earlier,
                                    std::string& note) {
  const std::optional<FoundRun> found =
      earlier == Earlier::keep ? find_run(folder, scene) : std::nullopt;
  if (found && !found->same) note = "it was run with other settings before and is run again";
  if (found && found->same && found->cut) {
    note = "it was killed before its first checkpoint and is run again";
  }
  if (found && found->same && found->saved) {
    try {
      const Checkpoint checkpoint = read_checkpoint(folder);
      auto run = std::make_unique<FolderRun>(folder, scene, interrupt_flag(), &checkpoint);
      note = fmt::format("goes on from step {}", checkpoint.head.step);
      return run;
    } catch (const Error& error) {
      note = fmt::format("begins anew: {}", error.what());
    }
  }
  return std::make_unique<FolderRun>(folder, scene, interrupt_flag(), nullptr);
}

}  // namespace

void run_at_once(std::size_t count, const BatchThreads& wanted,
                 const std::function<void(std::size_t)>& work) {
  set_threads(wanted.at_once);
  const auto at_once = std::min<std::size_t>(static_cast<std::size_t>(threads()), count);
  if (at_once > 1 || wanted.one_thread_each) set_threads(1);
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count && !interrupted(); i = next++) work(i);
  };
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < at_once; ++i) workers.emplace_back(loop);
  for (std::thread& worker : workers) worker.join();
}

SceneChanges changes_of_run(const SceneOptions& scene, const std::vector<std::string>& own,
                            const std::optional<int>& steps, double duration) {
  SceneChanges changes{.settings = scene.settings, .steps = steps, .start = scene.start};
  changes.settings.insert(changes.settings.end(), own.begin(), own.end());
  const auto sets = [&](std::string_view key) {
    return std::ranges::any_of(own, [&](const std::string& setting) {
      return setting.starts_with(key) &&
             setting.find_first_not_of(' ', key.size()) == setting.find('=', key.size());
    });
  };
  if (sets("integrator.step") && !sets("integrator.steps") && !sets("integrator.duration")) {
    changes.steps.reset();
    changes.duration = duration;
  }
  return changes;
}

BatchResult run_in_folder(const fs::path& file, const SceneChanges& changes, const fs::path& folder,
                          Earlier earlier, CompareProgress& progress, std::size_t place) {
  BatchResult result;
  const auto fail = [&](const std::string& message) {
    result.message = message;
    progress.done(place, "could not run");
  };
  try {
    const Scene scene = load_scene(file, changes);
    if (earlier == Earlier::keep) {
      const std::optional<FoundRun> found = find_run(folder, scene);
      if (found && found->same && found->done) {
        result.made = false;
        progress.done(place, "done before");
        return result;
      }
    }
    const std::unique_ptr<FolderRun> run = open_run(folder, scene, earlier, result.note);
    if (!result.note.empty()) progress.note(place, result.note);
    const RunSummary& summary = run->make([&](const RunMoment& moment) {
      progress.show(place, scene, moment);
      return !interrupted();
    });
    result.message = run->failure();
    if (RunRecord* record = run->results().record()) result.record = std::move(*record);
    progress.done(
        place, summary.end == RunEnd::event ? "ended by an event" : std::string(name(summary.end)));
  } catch (const std::bad_alloc&) {
    fail("there is not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return result;
}

}  // namespace lilyan::cli
