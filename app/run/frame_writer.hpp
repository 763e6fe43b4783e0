// The files of frames that a run writes: one small writer for each format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/surface.hpp"
#include "lilyan/core/state.hpp"

namespace lilyan {

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;
  // Frames come in the order of their steps. Throws Error when they cannot be written.
  virtual void add(int step, const State& state) = 0;
  // After the last frame, also of a run cut short.
  virtual void finish() {}
  // What the user should know about the files, if anything.
  [[nodiscard]] virtual std::string note() const { return {}; }
};

struct FrameSettings {
  std::vector<std::string> formats = {};  // of frame_formats()
  bool float64 = true;                    // precision of .vtu files
  UpAxis up = UpAxis::y;
  std::uint64_t frames = 0;  // how many are to come; 0: not known
};

// Throws Error when a file of so many frames would be too large.
void check_frames(const std::filesystem::path& folder, const FrameGeometry& geometry,
                  const FrameSettings& settings);

// Writers for a result folder, which exists and holds none of their files. The geometry's spans
// must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<FrameWriter>> make_frame_writers(
    const std::filesystem::path& folder, const FrameGeometry& geometry,
    const FrameSettings& settings);

// The files beside series.csv that these settings give, for the closing line: "run.pvd, run.glb".
[[nodiscard]] std::string frame_files(const FrameSettings& settings);

// Removes what writers of an earlier run left in a folder, and nothing else.
void remove_frames(const std::filesystem::path& folder);

}  // namespace lilyan
