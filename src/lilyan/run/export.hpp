// The frames of a run that is done, in other formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lilyan/io/frame_formats.hpp"

namespace lilyan {

struct ExportOptions {
  std::string format;            // "glb", "usda", "ply", "obj"
  std::filesystem::path output;  // a file (glb, usda) or a folder (ply, obj); empty: in the result
                                 // folder, as the run itself would have written it
  int every = 1;                 // takes each Nth frame, and the last
  UpAxis up = UpAxis::y;
};

struct Exported {
  std::filesystem::path path;
  std::size_t frames = 0;
};

// Reads run.pvd and the .vtu files it lists. Throws InputError when they cannot be used, Error when
// the output cannot be written.
Exported export_frames(const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace lilyan
