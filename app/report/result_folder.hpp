// The folder a run leaves behind: scene.resolved.toml, run.json, series.csv, report.html, and the
// frames of bodies in the formats asked for, or trajectory.csv, events.csv and pictures of small
// systems.
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

// Removes what a run wrote into a folder, and the folder if nothing else is in it. Returns whether it
// is gone. A folder that is not a run's is left as it is. Throws filesystem_error.
bool remove_results(const std::filesystem::path& folder);

// The files of pictures that the run.json of a result folder lists.
[[nodiscard]] std::vector<std::string> listed_pictures(const std::filesystem::path& folder);

class ResultFolder {
 public:
  // Makes the folder, or empties one that an earlier run left. Throws Error, without touching
  // anything, when the folder holds something else.
  ResultFolder(const std::filesystem::path& folder, const Scene& scene);
  ~ResultFolder();

  void add(const RunMoment& moment);
  // Writes the last state of a run cut short between rows or frames, run.json and report.html, then
  // pictures that other programs make. Where these fail, notes() says why.
  void finish(const RunSummary& summary, const DriftTracker& drift);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // Its files by name, for a message, after finish().
  [[nodiscard]] std::string files() const;
  [[nodiscard]] const Watch& watch() const { return watch_; }
  // Remarks on the files for the user, after finish().
  [[nodiscard]] std::vector<std::string> notes() const;
  // The content of the report, after finish(); null without a report.
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
