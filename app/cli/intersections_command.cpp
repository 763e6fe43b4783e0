// lilyan mesh intersections: whether anything passes through anything in the frames of a run.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/report/film/frame_pictures.hpp"
#include "app/run/frame_intersections.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::cli {
namespace {

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The first `most` of one kind, and how many more there are.
template <class Found>
void print_first(const JudgedRun& run, const std::vector<Found>& found, int most) {
  const std::size_t shown = std::min(found.size(), static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < shown; ++i) fmt::print("    {}\n", run.told(found[i]));
  if (shown < found.size()) fmt::print("    and {} more\n", found.size() - shown);
}

void print_frame(const JudgedRun& run, int frame, const FrameIntersections& found, int most) {
  std::vector<std::string> kinds;
  if (!found.pairs.empty()) {
    kinds.push_back(counted(found.pairs.size(), "edge meets a triangle", "edges meet triangles"));
  }
  if (!found.enclosed.empty()) {
    kinds.push_back(
        counted(found.enclosed.size(), "part is within a body", "parts are within bodies"));
  }
  if (!found.obstacles.empty()) {
    kinds.push_back(
        counted(found.obstacles.size(), "obstacle is entered", "obstacles are entered"));
  }
  fmt::print("  frame {} (t = {:.6g}): {}\n", frame,
             run.frames()[static_cast<std::size_t>(frame)].t, fmt::join(kinds, ", "));
  print_first(run, found.pairs, most);
  print_first(run, found.enclosed, most);
  print_first(run, found.obstacles, most);
}

// The frames to look at, each once and in their order.
std::vector<int> wanted_frames(const std::string& text, const JudgedRun& run) {
  const auto count = static_cast<int>(run.frames().size());
  std::vector<int> frames = named_frames(text.empty() ? "all" : text, count);
  std::ranges::sort(frames);
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  if (frames.empty() || frames.back() >= count) {
    throw Error(fmt::format("--frames {}: the run has the frames 0 to {}", text, count - 1));
  }
  return frames;
}

}  // namespace

int mesh_intersections(const IntersectionsArguments& arguments) {
  set_threads(arguments.threads);
  catch_interrupts();
  JudgedRun run(arguments.folder);
  const std::vector<int> frames = wanted_frames(arguments.frames, run);
  fmt::print("{}: {}, {} of rods, {}\n", arguments.folder,
             counted(run.triangles(), "triangle", "triangles"),
             counted(run.edges(), "edge", "edges"),
             run.knows_obstacles() ? counted(run.obstacles(), "obstacle", "obstacles")
                                   : "obstacles unknown: there is no scene.resolved.toml");
  if (run.single_precision()) {
    fmt::print(
        "  the frames are in single precision: bodies that nearly touch may be moved into each "
        "other by it\n");
  }
  std::size_t bad = 0;
  std::optional<int> first;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (interrupted()) {
      tell(fmt::format("stopped after {} of {} frames\n", i, frames.size()));
      return kStopped;
    }
    const int frame = frames[i];
    const FrameIntersections found = run.look_at(static_cast<std::size_t>(frame));
    if (!found.none()) {
      ++bad;
      if (!first) first = frame;
      print_frame(run, frame, found, arguments.most);
    }
    const std::size_t tenths = 10 * (i + 1) / frames.size();
    if (tenths != 10 * i / frames.size() && frames.size() >= 10) {
      tell(fmt::format("looked at {} of {} frames\n", i + 1, frames.size()));
    }
  }
  if (bad == 0) {
    fmt::print("{}: no intersections\n", counted(frames.size(), "frame", "frames"));
    return kDone;
  }
  fmt::print("{} of {} with intersections, the first at t = {:.6g}\n", bad,
             counted(frames.size(), "frame", "frames"),
             run.frames()[static_cast<std::size_t>(*first)].t);
  return kIntersects;
}

}  // namespace lilyan::cli
