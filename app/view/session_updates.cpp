// The thread of a session that sends its clients what is new.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "app/view/pane_state.hpp"
#include "app/view/session.hpp"

namespace lilyan::view {
namespace {

constexpr auto kTick = std::chrono::milliseconds(16);
constexpr auto kStateEvery = std::chrono::milliseconds(100);
constexpr std::size_t kMostRowsAtOnce = 8192;
constexpr double kLag = 0.1;  // seconds that a run may fall behind before time waits for it

}  // namespace

void Session::send_updates() {
  std::unique_lock lock(mutex_);
  Clock::time_point state_sent = Clock::now() - kStateEvery;
  while (!stop_) {
    for (std::size_t i = 0; i < pane_count_; ++i) {
      PaneState& s = *panes_[i];
      send_history(s, lock);
      s.rows_in_tick = s.steps_in_tick = 0;
    }
    play_recording();
    keep_pace();
    send_pictures(nullptr);
    if (state_due_ && Clock::now() - state_sent >= kStateEvery) {
      send_state();
      state_due_ = false;
      state_sent = Clock::now();
    }
    changed_.notify_all();
    if (playing_ || state_due_) {
      news_.wait_for(lock, kTick);
    } else {
      news_.wait_for(lock, kStateEvery);
    }
  }
}

// Plays recorded frames from the time that was sought; new steps follow after the newest frame.
void Session::play_recording() {
  if (!playing_ || !seek_) return;
  const Clock::time_point now = Clock::now();
  *seek_ += speed_.now * std::chrono::duration<double>(now - sought_).count();
  sought_ = now;
  double newest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pane_count_; ++i) newest = std::max(newest, panes_[i]->t);
  if (*seek_ < newest) return;
  seek_.reset();
  play(true);
}

// A run that cannot keep up does not catch up later: the pace starts anew from where it is.
void Session::keep_pace() {
  if (!playing_ || speed_.now == 0) return;
  const double now = common_time();
  if (!std::isfinite(now)) return;
  const double gone = std::chrono::duration<double>(Clock::now() - paced_).count();
  const double due = paced_t_ + speed_.now * gone;
  double longest = 0;
  for (std::size_t i = 0; i < pane_count_; ++i) longest = std::max(longest, panes_[i]->h);
  if (now >= due - longest - kLag * speed_.now && now <= due + longest) return;
  paced_t_ = now;
  paced_ = Clock::now();
}

// Messages are made with the session unlocked, so that no run waits for them, and a part at a time.
// As long as nobody watches, none are made.
void Session::send_history(PaneState& s, std::unique_lock<std::mutex>& lock) {
  send_path(s);
  if (clients_.empty() || s.rows.empty()) return;
  const PaneId id = s.id;
  const std::size_t columns = s.columns;
  const std::vector<double> rows = std::exchange(s.rows, {});
  s.taken = rows.size();
  const std::size_t all = rows.size() / columns;
  for (std::size_t begin = 0; begin < all && !stop_; begin += kMostRowsAtOnce) {
    const std::size_t count = std::min(kMostRowsAtOnce, all - begin);
    lock.unlock();
    Message sent =
        rows_message(id, std::span(rows).subspan(begin * columns, count * columns), columns);
    lock.lock();
    if (s.id.run != id.run) return;  // replaced in the meantime
    s.sent_bytes += sent->size();
    for (Client* client : clients_) client->history(sent, false);
    s.sent.push_back(std::move(sent));
  }
  s.taken = 0;
}

// Paths and points of sections are kept for those who come later, so that nobody has to be there.
void Session::send_path(PaneState& s) {
  const std::size_t width = s.path_shape.width();
  if (width > 0 && !s.path.empty()) {
    if (!clients_.empty()) {
      const Message sent = path_message(s.id, s.path_sent, s.path_shape, s.path);
      for (Client* client : clients_) client->history(sent, true);
    }
    s.path_sent += s.path.size() / width;
    s.path.clear();
  }
  if (s.sections_sent == s.sections.size()) return;
  const auto points = std::span(s.sections).subspan(s.sections_sent);
  if (!clients_.empty()) {
    const Message sent = section_message(s.id, s.sections_sent / 3, points);
    for (Client* client : clients_) client->history(sent, true);
  }
  s.sections_sent = s.sections.size();
}

void Session::send_pictures(Client* only) {
  double t = seek_ ? *seek_ : common_time();
  for (std::size_t i = 0; i < pane_count_; ++i) {
    PaneState& s = *panes_[i];
    if (s.recording.empty()) continue;
    const RecordedFrame& frame = s.recording.at_time(t + kSameTime * s.h);
    const auto send = [&](Client& client) {
      client.picture(kMostPanes + i, frame.picture);
      if (frame.cloud) client.picture(2 * kMostPanes + i, frame.cloud);
    };
    if (only) {
      send(*only);
      continue;
    }
    if (frame.picture == s.shown && frame.cloud == s.shown_cloud) continue;
    s.shown = frame.picture;
    s.shown_cloud = frame.cloud;
    s.shown_frame = frame.frame;
    state_due_ = true;
    for (Client* client : clients_) send(*client);
  }
  if (only) return;
  // A cloud that was removed is replaced by one without points.
  for (std::size_t i = 0; i < pane_count_; ++i) {
    PaneState& s = *panes_[i];
    if (!std::exchange(s.cloud_removed, false)) continue;
    const Message gone = cloud_message(s.id, s.frame, s.t, {}, {});
    for (Client* client : clients_) client->picture(2 * kMostPanes + i, gone);
  }
}

void Session::send_state() {
  std::vector<PaneStatus> all;
  for (std::size_t i = 0; i < pane_count_; ++i) {
    const PaneState& s = *panes_[i];
    all.push_back({.id = s.id,
                   .frame = s.shown_frame,
                   .frames = s.recording.empty() ? 0 : s.frame + 1,
                   .finished = s.finished,
                   .interrupted = s.interrupted,
                   .failed = s.failed,
                   .ms_per_step = s.ms_per_step,
                   .verdicts = s.verdicts});
  }
  send_to_all(state_message({playing_, speed_.now, speed_.usual}, all));
}

}  // namespace lilyan::view
