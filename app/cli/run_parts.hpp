// What the command `run` shares with the one of several processes (app/distributed).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/commands.hpp"
#include "app/report/folder/choose_folder.hpp"
#include "app/run/checkpoint.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {
class DriftTracker;
class ResultFolder;
struct RunSummary;
}  // namespace lilyan

namespace lilyan::cli {

// What is to be run: a scene from its start, or from where a run of it was saved.
struct PlannedRun {
  Scene scene;
  std::optional<Checkpoint> saved = {};
  std::string note = {};  // to tell the user; may be empty
};
[[nodiscard]] PlannedRun plan_run(const RunOptions& options, const Distribution* ranks = nullptr);
// The folder for a run from its start. `ending` is that of a name which the user did not choose.
[[nodiscard]] FolderChoice folder_for(const RunOptions& options, const Scene& scene,
                                      const std::string& ending = "");
// Says what is going to be run, and `where`: " on 4 ranks".
void announce(const PlannedRun& plan, const std::filesystem::path& folder,
              std::string_view where = "");

// Prints what a run has kept and where its results are.
void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results);
// The exit code of a run. Where it ended early, says why.
[[nodiscard]] int exit_code(const RunOptions& options, const Scene& scene,
                            const RunSummary& summary, const DriftTracker& drift,
                            const ResultFolder& results);

}  // namespace lilyan::cli
