// What the command `run` shares with the one of several processes (app/distributed).
#pragma once

#include "app/cli/commands.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {
class DriftTracker;
class ResultFolder;
struct RunSummary;
}  // namespace lilyan

namespace lilyan::cli {

// Prints what a run has kept and where its results are.
void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results);
// The exit code of a run. Where it ended early, says why.
[[nodiscard]] int exit_code(const RunOptions& options, const Scene& scene,
                            const RunSummary& summary, const DriftTracker& drift,
                            const ResultFolder& results);

}  // namespace lilyan::cli
