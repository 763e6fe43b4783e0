// Pictures of a run's frames: in reports, and as files of runs that are done.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/run_record.hpp"

namespace lilyan {

// HTML for a report. One run: six moments. Several: a row of the same moments for each, seen by one
// camera. Empty where there are no frames to show.
[[nodiscard]] std::string frame_strips(Runs runs);

struct FramePictureOptions {
  std::vector<int> frames;       // numbers in run.pvd, from 0; empty: the last of each run
  std::filesystem::path output;  // a folder, made if there is none
  PictureSize size = {};
  Outlook outlook = {};
};

struct FramePictures {
  std::vector<std::filesystem::path> files;  // FOLDER-FRAME.png
  std::vector<std::string> warnings;         // why a run is drawn without its obstacles
  std::vector<std::string> missing;          // names of pictures of frames that a run did not reach
};

// Draws frames that runs have written, all seen by one camera. Frames of a body that has exploded do
// not count in placing the camera. Obstacles are those of the scene that the folder says was run.
// Throws Error.
[[nodiscard]] FramePictures write_frame_pictures(const std::vector<std::filesystem::path>& folders,
                                                 const FramePictureOptions& options);

}  // namespace lilyan
