// A session's record of one pane. Everything but *pane is guarded by the session's lock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/view/pane.hpp"
#include "app/view/recording.hpp"
#include "app/view/session.hpp"

namespace lilyan::view {

inline constexpr double kSameTime = 1e-9;  // of a step: times as close as that are the same

// The most that is kept of rows and paths; as texts rows take about three times as much.
inline constexpr std::size_t kMostRowBytes = std::size_t{256} << 20U;

struct Session::PaneState {
  PaneState(std::size_t number, std::size_t most_bytes) : recording(most_bytes) {
    id.pane = static_cast<std::uint32_t>(number);
  }

  PaneId id;
  PaneRequest request;
  std::unique_ptr<Pane> pane;  // touched by the pane's own thread only, but for stop()
  bool used = false;
  bool load_asked = false;
  bool error = false;  // there is nothing to show

  Message head, mesh;
  std::size_t columns = 0;
  std::size_t coordinates = 0;  // of a small system
  // Rows that clients have not been sent yet, one after the other, and as many entries of the path
  // of a small system.
  std::vector<double> rows, path;
  // The rows that clients have been sent, for those who come later.
  struct Sent {
    Message rows, path;
  };
  std::vector<Sent> sent;
  std::size_t sent_rows = 0;   // their number
  std::size_t sent_bytes = 0;  // and their size
  std::size_t taken = 0;       // numbers that are being made into messages
  bool rows_end = false;       // no more are kept
  Recording recording;
  double t = 0;
  double h = 0;  // length of the last step
  int frame = 0;
  bool finished = false;
  std::string failed;
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
    return (rows.size() + path.size() + taken) * sizeof(double) + sent_bytes > kMostRowBytes;
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
    path.clear();
    sent.clear();
    sent_rows = sent_bytes = taken = coordinates = 0;
    rows_end = cloud_removed = false;
    puller = nullptr;
    recording.clear();
    t = h = ms_per_step = 0;
    frame = shown_frame = steps_asked = steps_in_tick = rows_in_tick = 0;
    error = finished = pull_asked = false;
    failed.clear();
    pull.reset();
    cloud_asked.reset();
  }
};

}  // namespace lilyan::view
