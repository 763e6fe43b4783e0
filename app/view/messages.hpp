// The messages of a live view to its clients: the second half of docs/view-protocol.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/conservation.hpp"
#include "app/view/command.hpp"

namespace lilyan::view {

struct PaneInfo;

// Made once, and shared by all who have to send it.
using Message = std::shared_ptr<const std::string>;

// Which run of which pane a message belongs to; runs count up with every start.
struct PaneId {
  std::uint32_t pane = 0;
  std::uint32_t run = 0;
};

[[nodiscard]] Message setup_message(const std::vector<std::string>& scenes);
[[nodiscard]] Message error_message(std::string_view what);
[[nodiscard]] Message pane_message(PaneId id, const PaneInfo& info);
// For a pane that has nothing to show.
[[nodiscard]] Message pane_error(PaneId id, const PaneRequest& request, const std::string& why);
// Rows of `columns` numbers each, one after the other.
[[nodiscard]] Message rows_message(PaneId id, std::span<const double> numbers, std::size_t columns);

struct PaneStatus {
  PaneId id;
  int frame = 0;   // shown
  int frames = 0;  // that there are
  bool finished = false;
  bool interrupted = false;
  std::string failed;  // empty: it did not
  double ms_per_step = 0;
  std::vector<Verdict> verdicts;  // at the end
};
struct Pace {
  bool playing = false;
  double speed = 1;  // simulated time per second
  double usual = 1;  // with which the run takes some 10 to 30 seconds
};
[[nodiscard]] Message state_message(const Pace& pace, std::span<const PaneStatus> panes);
// A change that cannot be made: the pane goes on as it was.
[[nodiscard]] Message refused_message(std::size_t pane, const std::vector<std::string>& settings,
                                      std::string_view why);

struct MeshArrays {
  std::span<const std::array<int, 3>> triangles;
  std::span<const std::array<int, 2>> edges;
  std::span<const int> body;
  int bodies = 0;
  std::span<const float> rest;
};
[[nodiscard]] Message mesh_message(PaneId id, const MeshArrays& mesh);

inline constexpr std::size_t kPoseNumbers = 12;  // of a matrix [R|t], row by row
inline constexpr std::size_t kLinkNumbers = 6;   // of both ends
struct FrameArrays {
  std::span<const float> x, speed, energy;
  std::span<const float> poses;  // 12 numbers for each obstacle that moves
  std::span<const float> links;  // both ends of each link
};
[[nodiscard]] Message frame_message(PaneId id, int frame, double t, const FrameArrays& arrays);
// The coordinates q and velocities v of a small system, and the places of its drawing, three numbers
// each.
[[nodiscard]] Message system_message(PaneId id, int frame, double t, std::span<const double> q,
                                     std::span<const double> v, std::span<const float> places = {});
// The path of a small system with n coordinates: entries of time, coordinates, velocities and
// `trails` further numbers, one after the other. `first` is the number of the first entry.
struct PathShape {
  std::size_t n = 0;
  std::size_t trails = 0;
  [[nodiscard]] std::size_t width() const { return n == 0 ? 0 : 1 + 2 * n + trails; }
};
[[nodiscard]] Message path_message(PaneId id, std::size_t first, const PathShape& shape,
                                   std::span<const double> entries);
// Points of sections: which section, x, y. `first` is the number of the first point.
[[nodiscard]] Message section_message(PaneId id, std::size_t first, std::span<const double> points);
[[nodiscard]] Message cloud_message(PaneId id, int frame, double t, std::span<const float> q,
                                    std::span<const float> v);

}  // namespace lilyan::view
