// The folder that a run leaves behind. Every run writes scene.resolved.toml, run.json, series.csv,
// checkpoint.bin (app/run/checkpoint.hpp) and report.html. Bodies add their frames in the formats asked for. Small systems add trajectory.csv,
// events.csv and pictures, those with further orbits orbits.csv and orbit-events.csv.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/files/file.hpp"
#include "app/run/conservation.hpp"

namespace lilyan {

class EventWriter;
class FolderLock;
class FrameWriter;
class OrbitFiles;
struct RunStart;
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
  // Makes the folder, or takes one that an earlier run left: that run's files stay until this one has made
  // its first step. Throws Error, without touching anything, when the folder holds something else, or when
  // another run is writing into it.
  // With Opening::resumed this run goes on from the one in the folder: call archive() next.
  ResultFolder(const std::filesystem::path& folder, const Scene& scene,
               Opening opening = Opening::fresh);
  ~ResultFolder();

  void add(const RunMoment& moment);
  // How far its files have come, all of them safely on the disk.
  void archive(Archive& a);
  // Writes run.json as that of a run that goes on.
  void show_running(const RunSummary& so_far, const State& state, const DriftTracker& drift);
  // Writes the last state of a run that was cut short, run.json and report.html, and then the pictures
  // that other programs make. If one of these fails, notes() says why. Whatever else fails does not keep
  // the rest from being written; in the end Error is thrown with the first reason, which run.json has too.
  void finish(const RunSummary& summary, const State& state, const DriftTracker& drift);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // False before anything was written. After a run without a single step the results of an earlier run are
  // still there.
  [[nodiscard]] bool written() const { return opened_; }
  // The names of its files, for a message. Call it after finish().
  [[nodiscard]] std::string files() const;
  [[nodiscard]] const Watch& watch() const { return watch_; }
  // Remarks on the files for the user. Call it after finish().
  [[nodiscard]] std::vector<std::string> notes() const;
  // The content of the report, or null without a report. Call it after finish().
  [[nodiscard]] RunRecord* record();

 private:
  [[nodiscard]] std::map<std::string, int> event_counts() const;
  void open(Opening opening);
  void take_in(const RunMoment& moment);
  [[nodiscard]] std::string run_json(std::string_view status, std::string_view message,
                                     const RunSummary& summary, const State& state,
                                     const DriftTracker& drift) const;
  [[nodiscard]] bool wants_picture(const char* ending) const;
  void finish_record(const RunSummary& summary, const State& state, const DriftTracker& drift);
  void draw_figures();
  void write_report();
  void convert_pictures();
  [[nodiscard]] bool frames() const;  // whether this run writes any
  void write_frame(int step, const State& state);

  std::filesystem::path folder_;
  const Scene& scene_;
  std::unique_ptr<FolderLock> lock_;
  bool opened_ = false;
  std::unique_ptr<RunStart> start_;  // while not opened
  std::unique_ptr<SeriesWriter> series_;
  std::vector<std::unique_ptr<FrameWriter>> writers_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  std::unique_ptr<EventWriter> events_;
  std::unique_ptr<OrbitFiles> orbits_;
  std::unique_ptr<SystemFigures> figures_;
  std::vector<std::string> picture_files_;
  std::string picture_note_;
  std::unique_ptr<Recorder> recorder_;
  Watch watch_;
  int last_frame_ = -1;
  int frame_step_ = -1;            // the step of the frame that was begun last,
  std::size_t frame_writers_ = 0;  // and how many have written it
};

}  // namespace lilyan
