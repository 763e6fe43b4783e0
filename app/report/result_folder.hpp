// The folder that a run leaves behind. Every run writes scene.resolved.toml, run.json, series.csv and
// report.html. Bodies add their frames in the formats asked for. Small systems add trajectory.csv,
// events.csv and pictures.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/run/conservation.hpp"

namespace lilyan {

class EventWriter;
class FrameWriter;
class SystemFigures;
class Recorder;
class SeriesWriter;
class TrajectoryWriter;
struct RunMoment;
struct RunRecord;

// Removes what a run wrote into a folder, and the folder too if nothing else is in it. Returns whether
// the folder is gone. A folder that no run wrote is left as it is. Throws filesystem_error.
bool remove_results(const std::filesystem::path& folder);

// Returns the files of pictures that the run.json of a result folder lists.
[[nodiscard]] std::vector<std::string> listed_pictures(const std::filesystem::path& folder);

class ResultFolder {
 public:
  // Makes the folder, or empties one that an earlier run left. Throws Error, without touching
  // anything, when the folder holds something else.
  ResultFolder(const std::filesystem::path& folder, const Scene& scene);
  ~ResultFolder();

  void add(const RunMoment& moment);
  // Writes the last state of a run that was cut short, run.json and report.html, and then the pictures
  // that other programs make. If one of these fails, notes() says why.
  void finish(const RunSummary& summary, const DriftTracker& drift);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // The names of its files, for a message. Call it after finish().
  [[nodiscard]] std::string files() const;
  [[nodiscard]] const Watch& watch() const { return watch_; }
  // Remarks on the files for the user. Call it after finish().
  [[nodiscard]] std::vector<std::string> notes() const;
  // The content of the report, or null without a report. Call it after finish().
  [[nodiscard]] RunRecord* record();

 private:
  [[nodiscard]] std::map<std::string, int> event_counts() const;
  [[nodiscard]] std::string run_json(const RunSummary& summary, const DriftTracker& drift) const;
  [[nodiscard]] bool wants_picture(const char* ending) const;
  void write_report();
  void convert_pictures();
  [[nodiscard]] bool frames() const;  // whether this run writes any
  void write_frame(int step, const State& state);

  std::filesystem::path folder_;
  const Scene& scene_;
  std::unique_ptr<SeriesWriter> series_;
  std::vector<std::unique_ptr<FrameWriter>> writers_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  std::unique_ptr<EventWriter> events_;
  std::unique_ptr<SystemFigures> figures_;
  std::vector<std::string> picture_files_;
  std::string picture_note_;
  std::unique_ptr<Recorder> recorder_;
  Watch watch_;
  int last_frame_ = -1;
};

}  // namespace lilyan
