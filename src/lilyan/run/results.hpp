// The folder a run leaves behind: scene.resolved.toml, run.json, series.csv, and run.pvd with
// frames/ (of bodies) or trajectory.csv (of small systems).
#pragma once

#include <filesystem>
#include <memory>

#include "lilyan/io/series.hpp"
#include "lilyan/io/trajectory.hpp"
#include "lilyan/io/vtu.hpp"
#include "lilyan/run/runner.hpp"
#include "lilyan/scene/scene.hpp"

namespace lilyan {

class ResultFolder {
 public:
  // Makes the folder, or empties one that an earlier run left. Throws Error, without touching
  // anything, when the folder holds something else.
  ResultFolder(const std::filesystem::path& folder, const Scene& scene);

  void add(const RunMoment& moment);
  // Writes the last state of a run cut short between rows or frames, and run.json.
  void finish(const RunSummary& summary, const DriftTracker& drift);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  [[nodiscard]] bool frames() const;  // whether this run writes any
  void write_frame(int step, const State& state);

  std::filesystem::path folder_;
  const Scene& scene_;
  std::unique_ptr<SeriesWriter> series_;
  std::unique_ptr<PvdWriter> pvd_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  int last_frame_ = -1;
};

}  // namespace lilyan
