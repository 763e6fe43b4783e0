#include <fmt/format.h>

#include <cstdio>

#include "app/cli/commands.hpp"
#include "app/report/stills.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::cli {

int picture(const PictureArguments& arguments) {
  StillOptions options{.frames = arguments.frames,
                       .output = arguments.output,
                       .size = {.width = arguments.size[0], .height = arguments.size[1]},
                       .outlook = {.zoom = arguments.zoom}};
  if (!arguments.from.empty()) {
    const Eigen::Vector3f from(arguments.from[0], arguments.from[1], arguments.from[2]);
    if (from.isZero(0)) throw Error("--from: expected a direction, found 0,0,0");
    options.outlook.from = from;
  }
  const Stills stills = write_stills({arguments.folders.begin(), arguments.folders.end()}, options);
  for (const auto& file : stills.files) fmt::print("{}\n", file.string());
  for (const std::string& text : stills.warnings) fmt::print(stderr, "{}\n", text);
  for (const std::string& name : stills.missing) {
    fmt::print(stderr, "no {}: the run has no such frame\n", name);
  }
  return stills.files.empty() ? kBadInput : kDone;
}

}  // namespace lilyan::cli
