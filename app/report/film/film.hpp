// Films and pictures of runs: the file that a film becomes, and those of small systems, which show their
// drawing.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/files/process.hpp"
#include "app/report/film/frame_pictures.hpp"
#include "app/report/picture/lettering.hpp"
#include "app/report/picture/render.hpp"

namespace lilyan {

// The file that is asked for, or that in a run's folder. Throws Error when it cannot be made into a film: when its ending
// is another, FFmpeg is needed and missing, or its folder cannot be written to.
[[nodiscard]] std::filesystem::path film_file(const std::filesystem::path& asked,
                                              const std::filesystem::path& folder);

// The order of runs in a film. As they are given; but names in the order of a shell, which has run-10 before run-2, are
// put into that of the comparison that made them, or else into one in which numbers grow.
[[nodiscard]] std::vector<std::filesystem::path> in_natural_order(
    std::vector<std::filesystem::path> folders);

// What tells runs side by side apart: their methods, or if some have the same one, the names of their folders. Empty
// for a single run.
[[nodiscard]] std::vector<std::string> captions(const std::vector<std::filesystem::path>& folders,
                                                const std::vector<std::string>& methods);

// Puts the pictures of runs side by side, frame by frame, into a file. Throws Error.
class FilmWriter {
 public:
  // The film says which file it is, and how many frames it has. There is a caption for each run.
  FilmWriter(const Film& film, const std::vector<std::string>& captions, const PictureSize& size,
             bool dark);

  void put(std::size_t run, Image tile);
  // The picture is complete. What is not put again stands still.
  void next();
  void finish();

 private:
  [[nodiscard]] bool animated() const { return film_.file.extension() == ".png"; }

  const Film& film_;
  std::vector<Caption> captions_;
  PictureSize size_;
  bool dark_;
  int columns_;
  Image whole_;
  WorkFolder work_;
  AnimatedPng png_;
  int done_ = 0;
};

// Whether these are the folders of small systems. Throws InputError when only some are.
[[nodiscard]] bool small_systems(const std::vector<std::filesystem::path>& folders);

// As write_frame_pictures() and write_film() do. A frame is a row of trajectory.csv. Throw Error.
[[nodiscard]] FramePictures draw_system_pictures(const std::vector<std::filesystem::path>& folders,
                                                 const FramePictureOptions& options);
[[nodiscard]] Film film_of_systems(const std::vector<std::filesystem::path>& folders,
                                   const FilmOptions& options,
                                   const std::function<void(int, int)>& progress);

}  // namespace lilyan
