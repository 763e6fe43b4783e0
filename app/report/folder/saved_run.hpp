// Saving a run with its results while it goes on, and going on with it later.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/report/folder/result_folder.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan {

// Saves a run about every half minute, or as often as the scene says.
class Checkpointer {
 public:
  // All of them must outlive this.
  Checkpointer(const Scene& scene, SceneRun& run, DriftTracker& drift, ResultFolder& results)
      : scene_(scene), run_(run), drift_(drift), results_(results) {}

  void after_step(int step);
  void save();

 private:
  using Clock = std::chrono::steady_clock;
  const Scene& scene_;
  SceneRun& run_;
  DriftTracker& drift_;
  ResultFolder& results_;
  std::string buffer_;
  Clock::time_point last_ = Clock::now();
};

// Whether two resolved scenes differ in nothing but how long they run.
[[nodiscard]] bool same_but_length(const std::string& resolved, const std::string& other);

// The scene of a run that is to go on, with another number of steps if one is given. Throws InputError when its
// checkpoint is of another scene, and Error when it cannot have so many steps.
[[nodiscard]] Scene scene_to_resume(const std::filesystem::path& folder,
                                    const Checkpoint& checkpoint, const std::optional<int>& steps,
                                    const Distribution* ranks = nullptr);

// The scene of a run that was killed before its first checkpoint, which begins anew; none where there is a checkpoint or
// the folder does not hold such a run. Throws as scene_to_resume() does.
[[nodiscard]] std::optional<Scene> scene_to_begin_anew(const std::filesystem::path& folder,
                                                       const std::optional<int>& steps,
                                                       const Distribution* ranks = nullptr);

inline constexpr const char* kBegunAnew =
    "this run was killed before its first checkpoint, and begins anew";

// Brings a new run and its results, opened to be resumed, to where they were saved. Throws InputError when the
// checkpoint does not fit.
void resume(const Checkpoint& checkpoint, const Scene& scene, SceneRun& run, ResultFolder& results);

}  // namespace lilyan
