// The frames of a run that is done, in other formats.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/files/surface.hpp"

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

// The frames that the run.pvd of a result folder lists. Throws InputError when there is none.
struct ListedFrame {
  double t = 0;
  std::filesystem::path file;
};
[[nodiscard]] std::vector<ListedFrame> listed_frames(const std::filesystem::path& folder);
// Of a result folder's bodies; empty when they are not known.
[[nodiscard]] std::vector<std::string> listed_bodies(const std::filesystem::path& folder);

}  // namespace lilyan
