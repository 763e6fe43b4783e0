// Pictures of the frames that runs have written, all seen by one camera.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/render.hpp"

namespace lilyan {

struct StillOptions {
  std::vector<int> frames;       // numbers in run.pvd, from 0; empty: the last of each run
  std::filesystem::path output;  // a folder, made if there is none
  PictureSize size = {};
  Outlook outlook = {};
};

struct Stills {
  std::vector<std::filesystem::path> files;  // FOLDER-FRAME.png
  std::vector<std::string> warnings;         // why a run is drawn without its obstacles
  std::vector<std::string> missing;          // names of pictures of frames that a run did not reach
};

// Frames of a body that has exploded do not count in placing the camera. Obstacles are those of the
// scene that the folder says was run. Throws Error.
[[nodiscard]] Stills write_stills(const std::vector<std::filesystem::path>& folders,
                                  const StillOptions& options);

}  // namespace lilyan
