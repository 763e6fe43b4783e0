// The folder a run leaves behind: scene.resolved.toml, run.json, series.csv, report.html, and the
// frames of bodies in the formats asked for, or trajectory.csv, events.csv and pictures of small
// systems.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/series.hpp"
#include "app/report/record.hpp"
#include "app/run/event_writer.hpp"
#include "app/run/frame_writer.hpp"
#include "app/run/pictures.hpp"
#include "app/run/runner.hpp"
#include "app/run/watch.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {

// Removes what a run wrote into a folder, and the folder if nothing else is in it; whether it is
// gone. A folder that is not a run's is left as it is. Throws filesystem_error.
bool remove_results(const std::filesystem::path& folder);

class ResultFolder {
 public:
  // Makes the folder, or empties one that an earlier run left. Throws Error, without touching
  // anything, when the folder holds something else.
  ResultFolder(const std::filesystem::path& folder, const Scene& scene);

  void add(const RunMoment& moment);
  // Writes the last state of a run cut short between rows or frames, run.json and report.html.
  void finish(const RunSummary& summary, const DriftTracker& drift);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // Its files by name, for a message.
  [[nodiscard]] std::string files() const;
  [[nodiscard]] const Watch& watch() const { return watch_; }
  // What the user should know about them, after finish().
  [[nodiscard]] std::vector<std::string> notes() const;
  // What the report tells, after finish(); null without a report.
  [[nodiscard]] RunRecord* record() { return recorder_ ? &recorder_->record() : nullptr; }

 private:
  void write_report(const RunSummary& summary, const DriftTracker& drift);
  [[nodiscard]] bool frames() const;  // whether this run writes any
  void write_frame(int step, const State& state);

  std::filesystem::path folder_;
  const Scene& scene_;
  std::unique_ptr<SeriesWriter> series_;
  std::vector<std::unique_ptr<FrameWriter>> writers_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  std::unique_ptr<EventWriter> events_;
  std::unique_ptr<Pictures> pictures_;
  std::vector<std::string> picture_files_;
  std::unique_ptr<Recorder> recorder_;
  Watch watch_;
  int last_frame_ = -1;
};

}  // namespace lilyan
