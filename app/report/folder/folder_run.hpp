// A run into a folder, from its first step or from where it was saved: its steps, its results, and checkpoints to go on
// from.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/report/folder/result_folder.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/runner.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan {

class FolderRun {
 public:
  // From the scene's start, or from where the run in the folder was saved. The scene must outlive this. Throws what
  // SceneRun and ResultFolder throw, and InputError when the checkpoint does not fit.
  FolderRun(const std::filesystem::path& folder, const Scene& scene, const std::atomic<bool>* stop,
            const Checkpoint* saved);
  virtual ~FolderRun();
  FolderRun(const FolderRun&) = delete;
  FolderRun& operator=(const FolderRun&) = delete;

  // Makes all steps that are left, and saves the run about every half minute, or as often as the scene says. After the
  // last step `ended` is called, and then the results are finished. A run whose results cannot be written has failed.
  const RunSummary& make(const RunObserver& observer, const std::function<void()>& ended = {});
  // Why results could not be written; empty: they could.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  [[nodiscard]] SceneRun& run() { return run_; }
  [[nodiscard]] const DriftTracker& drift() const { return drift_; }
  [[nodiscard]] ResultFolder& results() { return *results_; }

 protected:
  // Without results yet.
  FolderRun(const std::filesystem::path& folder, const Scene& scene, const std::atomic<bool>* stop);

  virtual void take_in(const RunMoment& moment) { results_->add(moment); }
  virtual void save();
  // Writes the frames of the last state that are not in the results.
  virtual void add_last_frame() {}
  virtual void finish() { results_->finish(run_.summary(), run_.state(), drift_); }
  // Of several processes that share the run, what holds in one of them that has results, and a reason that any has.
  [[nodiscard]] virtual bool anywhere(bool here) const { return here; }
  [[nodiscard]] virtual std::string reason_anywhere(const std::string& reason) const {
    return reason;
  }

  std::filesystem::path folder_;
  const Scene& scene_;
  DriftTracker drift_;
  SceneRun run_;
  std::unique_ptr<ResultFolder> results_;

 private:
  using Clock = std::chrono::steady_clock;
  void resume(const Checkpoint& saved);
  [[nodiscard]] bool due(int step) const;
  template <class Part>
  void attempt(const Part& part);

  std::string failure_;
  std::string buffer_;
  Clock::time_point saved_at_ = Clock::now();
};

}  // namespace lilyan
