// Pictures of frames: those of a report, and those of runs that are done, one by one or as a film.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/report/picture/render.hpp"
#include "app/report/record/run_record.hpp"

namespace lilyan {

// Returns the frames of a report as HTML. One run is shown at six moments. Several runs have a row of
// the same moments each, seen by one camera. The text is empty when there are no frames to show.
[[nodiscard]] std::string frame_strips(Runs runs);

// The frames that a text names, of `count`: "all", "3", "0-10", "::5" (every fifth), "10::5" and several of these
// with commas between; empty: the last. Numbers count from 0 and may be beyond the last. Throws Error.
[[nodiscard]] std::vector<int> named_frames(const std::string& text, int count);

struct FramePictureOptions {
  std::string frames;            // see named_frames()
  std::filesystem::path output;  // a folder, made if there is none
  PictureSize size = {};
  Outlook outlook = {};
  bool dark = false;  // on a dark ground
};

struct FramePictures {
  std::vector<std::filesystem::path> files;  // FOLDER-FRAME.png
  std::vector<std::string> warnings;         // why a run is drawn without its obstacles
  std::vector<std::string> missing;          // names of pictures of frames that a run did not reach
};

// Draws frames that runs have written, all seen by one camera. Those of small systems are the rows of their
// trajectories, seen by way of their drawing. Frames of a body that has exploded do
// not count in placing the camera. Obstacles are those of the scene that the folder says was run.
// Throws Error.
[[nodiscard]] FramePictures write_frame_pictures(const std::vector<std::filesystem::path>& folders,
                                                 const FramePictureOptions& options);

struct FilmOptions {
  std::filesystem::path output;  // .mp4, .webm, .webp, .gif or .png; empty: in the first folder
  int every = 1;                 // takes each nth frame
  std::optional<double> rate;    // frames in a second; none: as fast as the motion
  PictureSize size = {};         // of each run
  Outlook outlook = {};
  bool dark = false;  // on a dark ground
};

struct Film {
  std::filesystem::path file;
  int frames = 0;
  double rate = 0;
  std::vector<std::string> warnings;
};

// Makes a film of the frames that runs have written, side by side and seen by one camera: by FFmpeg, or as an
// animated PNG. A run that ended before the others stands still. `progress` is told of each frame that is done,
// with their number. Throws Error.
[[nodiscard]] Film write_film(const std::vector<std::filesystem::path>& folders,
                              const FilmOptions& options,
                              const std::function<void(int, int)>& progress);

}  // namespace lilyan
