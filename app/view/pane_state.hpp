// A session's record of one pane. Everything but *pane is guarded by the session's lock.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/view/pane.hpp"
#include "app/view/recording.hpp"
#include "app/view/session.hpp"

namespace lilyan::view {

inline constexpr double kSameTime = 1e-9;  // of a step: times as close as that are the same

// The most that is kept of rows; as texts they take about three times as much.
inline constexpr std::size_t kMostRowBytes = std::size_t{256} << 20U;
// The most numbers that are kept of a path, of which then every second entry is left out, and of
// points of sections, of which no more are kept.
inline constexpr std::size_t kMostPathNumbers = std::size_t{4} << 20U;
inline constexpr std::size_t kMostSectionNumbers = std::size_t{3} << 18U;

struct Session::PaneState {
  PaneState(std::size_t number, std::size_t most_bytes) : recording(most_bytes) {
    id.pane = static_cast<std::uint32_t>(number);
  }

  PaneId id;
  PaneRequest request;
  std::unique_ptr<Pane> pane;  // touched by the pane's own thread only, but for stop()
  bool used = false;
  bool load_asked = false;
  // A change that is tried before it replaces what runs, and who asked for it; the pane that came
  // of one.
  std::optional<PaneRequest> change_asked, changing;
  const Client* changer = nullptr;
  std::unique_ptr<Pane> made;
  bool error = false;  // there is nothing to show

  Message head, mesh;
  std::size_t columns = 0;
  double duration = 0;  // of the run
  double period = 0;    // of its fastest oscillation; 0: none
  // Rows that clients have not been sent yet, one after the other.
  std::vector<double> rows;
  // The rows that clients have been sent, for those who come later.
  std::vector<Message> sent;
  std::size_t sent_bytes = 0;  // their size
  std::size_t taken = 0;       // numbers that are being made into messages
  // The path of a small system: what clients have not been sent yet, and all of it for those who
  // come later, one entry of every `path_stride`.
  PathShape path_shape;
  std::vector<double> path, path_kept;
  std::size_t path_stride = 1;
  std::size_t path_seen = 0;  // entries
  std::size_t path_sent = 0;
  std::vector<double> sections;   // points of sections: which one, x, y
  std::size_t sections_sent = 0;  // numbers
  bool rows_end = false;          // no more are kept
  Recording recording;
  double t = 0;
  double h = 0;  // length of the last step
  int frame = 0;
  bool finished = false;
  bool interrupted = false;
  std::string failed;
  std::vector<Verdict> verdicts;
  double ms_per_step = 0;

  Message shown, shown_cloud;  // last sent to all
  int shown_frame = 0;

  int steps_asked = 0;
  int steps_in_tick = 0;
  int rows_in_tick = 0;
  bool pull_asked = false;
  std::optional<Pull> pull;  // none: let go
  const Client* puller = nullptr;
  const Client* cloud_asker = nullptr;
  bool cloud_removed = false;  // and clients have not been told
  std::optional<PhaseCloudRequest> cloud_asked;

  // Whether the other panes wait for this one; a pane that is about to start counts.
  [[nodiscard]] bool running() const { return used && !error && !finished; }
  [[nodiscard]] bool wants_load() const { return used && load_asked; }
  [[nodiscard]] bool has_requests() const { return pane && (pull_asked || cloud_asked || !used); }

  // Whether no more rows can be kept.
  [[nodiscard]] bool full() const {
    return (rows.size() + taken) * sizeof(double) + sent_bytes > kMostRowBytes;
  }
  // Adds an entry to the path, unless it is one of those left out.
  void add_to_path(std::span<const double> entry) {
    if (path_seen++ % path_stride != 0) return;
    path.insert(path.end(), entry.begin(), entry.end());
    path_kept.insert(path_kept.end(), entry.begin(), entry.end());
    if (path_kept.size() <= kMostPathNumbers) return;
    const std::size_t width = path_shape.width();
    std::size_t to = 0;
    for (std::size_t from = 0; from < path_kept.size(); from += 2 * width, to += width) {
      std::copy_n(path_kept.begin() + static_cast<std::ptrdiff_t>(from), width,
                  path_kept.begin() + static_cast<std::ptrdiff_t>(to));
    }
    path_kept.resize(to);
    path_stride *= 2;
  }
  // Takes what is new of a pane that starts.
  void describe(const PaneInfo& info) {
    h = info.step;
    duration = info.duration;
    // Of many orbits a section is shown, whose points need not be followed.
    period = info.orbits > 0 && !info.sections.empty() ? 0 : info.period;
    columns = info.columns.size();
    path_shape = {info.coordinates.size(), 3 * info.draw.trails.size()};
  }
  void release_pull() {
    pull.reset();
    puller = nullptr;
    pull_asked = true;
  }
  // Ends a step that may take long, before the pane is replaced.
  void stop_step() {
    if (pane) pane->stop();
  }
  // Back to the state before the first start.
  void clear() {
    head = mesh = shown = shown_cloud = nullptr;
    rows.clear();
    sent.clear();
    sent_bytes = taken = 0;
    path_shape = {};
    for (auto* numbers : {&path, &path_kept, &sections}) numbers->clear();
    path_stride = 1;
    path_seen = path_sent = sections_sent = 0;
    duration = period = 0;
    interrupted = false;
    change_asked.reset();
    made.reset();
    rows_end = cloud_removed = false;
    puller = nullptr;
    recording.clear();
    t = h = ms_per_step = 0;
    frame = shown_frame = steps_asked = steps_in_tick = rows_in_tick = 0;
    error = finished = pull_asked = false;
    failed.clear();
    verdicts.clear();
    pull.reset();
    cloud_asked.reset();
  }
};

}  // namespace lilyan::view
