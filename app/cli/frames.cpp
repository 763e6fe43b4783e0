// lilyan export, lilyan picture: frames of runs that are done.
#include <fmt/format.h>

#include <cstdio>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/report/report.hpp"
#include "app/run/frames.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::cli {

int export_run(const ExportArguments& arguments) {
  tell(fmt::format("exporting {} as {}\n", arguments.folder, arguments.format));
  const Exported done =
      export_frames(arguments.folder, {.format = arguments.format,
                                       .output = arguments.output,
                                       .every = arguments.every,
                                       .up = arguments.up == "y" ? UpAxis::y : UpAxis::z});
  fmt::print("{}: {} frames\n", done.path.string(), done.frames);
  return kDone;
}

int picture(const PictureArguments& arguments) {
  FramePictureOptions options{.frames = arguments.frames,
                              .output = arguments.output,
                              .size = {.width = arguments.size[0], .height = arguments.size[1]},
                              .outlook = {.zoom = arguments.zoom}};
  if (!arguments.from.empty()) {
    const Eigen::Vector3f from(arguments.from[0], arguments.from[1], arguments.from[2]);
    if (from.isZero(0)) throw Error("--from: expected a direction, found 0,0,0");
    options.outlook.from = from;
  }
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
