// lilyan export, lilyan picture, lilyan film: frames of runs that are done.
#include <fmt/format.h>

#include <cstdio>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/report/film/frame_pictures.hpp"
#include "app/run/frames.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::cli {

int export_run(const ExportArguments& arguments) {
  tell(fmt::format("exporting {} as {}\n", arguments.folder, arguments.format));
  const Exported done =
      export_frames(arguments.folder, {.format = arguments.format,
                                       .output = arguments.output,
                                       .every = arguments.every,
                                       .rate = arguments.rate,
                                       .obstacles = !arguments.no_obstacles,
                                       .up = arguments.up == "y" ? UpAxis::y : UpAxis::z});
  fmt::print("{}: {} frames\n", done.path.string(), done.frames);
  return kDone;
}

namespace {

Outlook outlook(const std::vector<float>& from, float zoom) {
  Outlook result{.zoom = zoom};
  if (from.empty()) return result;
  result.from = Eigen::Vector3f(from[0], from[1], from[2]);
  if (result.from->isZero(0)) throw Error("--from: expected a direction, found 0,0,0");
  return result;
}

}  // namespace

int film(const FilmArguments& arguments) {
  const FilmOptions options{.output = arguments.output,
                            .every = arguments.every,
                            .rate = arguments.rate,
                            .size = {.width = arguments.size[0], .height = arguments.size[1]},
                            .outlook = outlook(arguments.from, arguments.zoom),
                            .dark = arguments.dark};
  const Film film = write_film({arguments.folders.begin(), arguments.folders.end()}, options,
                               [](int done, int all) {
                                 const int tenths = 10 * done / all;
                                 if (tenths == 10 * (done - 1) / all) return;
                                 tell(fmt::format("drawn {} of {} frames\n", done, all));
                               });
  for (const std::string& text : film.warnings) tell(text + "\n");
  fmt::print("{}: {} frames, {:.3g} in a second\n", film.file.string(), film.frames, film.rate);
  return kDone;
}

int picture(const PictureArguments& arguments) {
  const FramePictureOptions options{
      .frames = arguments.frames,
      .output = arguments.output,
      .size = {.width = arguments.size[0], .height = arguments.size[1]},
      .outlook = outlook(arguments.from, arguments.zoom),
      .dark = arguments.dark};
  const FramePictures pictures =
      write_frame_pictures({arguments.folders.begin(), arguments.folders.end()}, options);
  for (const auto& file : pictures.files) fmt::print("{}\n", file.string());
  for (const std::string& text : pictures.warnings) fmt::print(stderr, "{}\n", text);
  for (const std::string& name : pictures.missing) {
    fmt::print(stderr, "no {}: the run has no such frame\n", name);
  }
  return pictures.files.empty() ? kBadInput : kDone;
}

}  // namespace lilyan::cli
