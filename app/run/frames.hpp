// The frames of a run: the files it writes, one small writer for each format; and frames of a run that
// is done, listed or exported to other formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/surface.hpp"
#include "app/files/vtu.hpp"

namespace lilyan {

struct Scene;
struct State;

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;
  // Frames come in the order of their steps. Throws Error when they cannot be written.
  virtual void add(int step, const State& state) = 0;
  // After the last frame, also of a run cut short, which may go on later.
  virtual void finish() {}
  // After everything else of a complete run: removes what only a run that goes on needs.
  virtual void clean_up() {}
  virtual void archive(Archive& /*a*/) {}
  // A remark on the files for the user; empty: none.
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

// Writers for a result folder, which exists and holds none of their files, or those of the run that this
// one goes on from. The scene must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<FrameWriter>> make_frame_writers(
    const std::filesystem::path& folder, const Scene& scene, const FrameSettings& settings,
    Opening opening = Opening::fresh);

// The files beside series.csv that these settings give, for the closing line: "run.pvd, run.glb".
[[nodiscard]] std::string frame_files(const FrameSettings& settings);

// Removes the files that writers of an earlier run left in a folder, and nothing else.
void remove_frames(const std::filesystem::path& folder);

// Removes the frames behind a step: those of the run that this one goes on from.
void remove_frames_after(const std::filesystem::path& folder, int step);

// The names of a result folder's bodies; empty when they are not known.
[[nodiscard]] std::vector<std::string> listed_bodies(const std::filesystem::path& folder);
// The elements of a frame. Its spans are those of the content and the names.
[[nodiscard]] FrameGeometry geometry_of(const VtuContent& frame,
                                        const std::vector<std::string>& body_names);

struct ExportOptions {
  std::string format;            // "glb", "usda", "ply", "obj"
  std::filesystem::path output;  // a file (glb, usda) or a folder (ply, obj); empty: in the result
                                 // folder, as the run itself would have written it
  int every = 1;                 // each Nth frame is taken, and the last
  double rate = 0;               // frames in a second, made from those there are; 0: these
  bool obstacles = true;         // in glb and usda
  UpAxis up = UpAxis::y;
};

struct Exported {
  std::filesystem::path path;
  std::size_t frames = 0;
};

// Writes the frames of a run that is done in another format, from run.pvd and the .vtu files it lists.
// Throws InputError when they cannot be used, Error when the output cannot be written.
Exported export_frames(const std::filesystem::path& folder, const ExportOptions& options);

}  // namespace lilyan
