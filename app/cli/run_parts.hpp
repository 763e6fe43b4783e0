// What the command `run` shares with the one of several processes (app/distributed).
#pragma once

#include <filesystem>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {
class DriftTracker;
class ResultFolder;
struct Checkpoint;
struct RunSummary;
}  // namespace lilyan

namespace lilyan::cli {

// The scene that a run was made from, to go on with. Throws InputError when it is another one now.
[[nodiscard]] Scene scene_to_resume(const std::filesystem::path& folder,
                                    const Checkpoint& checkpoint, const std::optional<int>& steps,
                                    const Distribution* ranks = nullptr);
// Prints what a run has kept and where its results are.
void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results);
// Says why a run has ended, unless that is its end.
[[nodiscard]] int exit_code(const RunOptions& options, const Scene& scene,
                            const RunSummary& summary, const DriftTracker& drift,
                            const ResultFolder& results);

}  // namespace lilyan::cli
