// Films and pictures of runs: the file that a film becomes, and those of small systems, which show their
// drawing.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/files/process.hpp"
#include "app/report/render.hpp"
#include "app/report/report.hpp"

namespace lilyan {

// The file that is asked for, or that in a run's folder. Throws Error when it cannot be a film.
[[nodiscard]] std::filesystem::path film_file(const std::filesystem::path& asked,
                                              const std::filesystem::path& folder);

// Puts the pictures of runs side by side, frame by frame, into a file. Throws Error.
class FilmWriter {
 public:
  // The film says which file it is, and how many frames it has.
  FilmWriter(const Film& film, std::size_t runs, const PictureSize& size);

  void put(std::size_t run, const Image& tile);
  // The picture is complete. What is not put again stands still.
  void next();
  void finish();

 private:
  [[nodiscard]] bool animated() const { return film_.file.extension() == ".png"; }

  const Film& film_;
  PictureSize size_;
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
