// Several runs at a time: the common part of comparisons and sweeps.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "app/cli/commands.hpp"
#include "app/report/record/run_record.hpp"
#include "app/scene/scene.hpp"

namespace lilyan::cli {

class CompareProgress;

struct BatchThreads {
  int at_once = 0;  // runs at a time; 0: one per core
  bool one_thread_each =
      false;  // also where only one run goes at a time, which has all threads otherwise
};
// Calls work(0), work(1), … work(count - 1), several at a time. Each has one thread of its own: the loops of one run can
// only be shared when it is alone. No more are begun after an interrupt.
void run_at_once(std::size_t count, const BatchThreads& wanted,
                 const std::function<void(std::size_t)>& work);

// The changes of a scene for one run of a study: the settings of all runs, and its own behind them. If its own change
// the step, its duration is the one given, so that all runs end at the same time.
[[nodiscard]] SceneChanges changes_of_run(const SceneOptions& scene,
                                          const std::vector<std::string>& own,
                                          const std::optional<int>& steps, double duration);

// What to do with what is in the folder of a run already.
enum class Earlier {
  replace,  // whatever it is
  keep,     // a run of the same scene that is done; one that was interrupted goes on
};

struct BatchResult {
  bool made = true;     // false: it was done before
  std::string note;     // to tell the user; may be empty
  RunRecord record;     // of a run that was made and writes a report
  std::string message;  // why it has no results; empty: it has
};

// One run, from its scene to its results in the folder. What goes wrong is told in the result.
[[nodiscard]] BatchResult run_in_folder(const std::filesystem::path& scene,
                                        const SceneChanges& changes,
                                        const std::filesystem::path& folder, Earlier earlier,
                                        CompareProgress& progress, std::size_t place);

}  // namespace lilyan::cli
