// The thread of a session that tells its clients what is new.
#include <algorithm>
#include <cmath>
#include <span>

#include "lilyan/view/encode.hpp"
#include "lilyan/view/session.hpp"
#include "lilyan/view/slot.hpp"

namespace lilyan::view {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 16ms;
constexpr auto kStateEvery = 100ms;
constexpr double kLag = 0.1;  // seconds that a run may fall behind before time waits for it

}  // namespace

void Session::tell() {
  std::unique_lock lock(mutex_);
  Clock::time_point state_sent = Clock::now() - kStateEvery;
  while (!stop_) {
    for (std::size_t i = 0; i < panes_; ++i) {
      Slot& s = *slots_[i];
      flush_rows(s);
      s.rows_in_tick = s.steps_in_tick = 0;
    }
    keep_pace();
    show(nullptr);
    if (state_due_ && Clock::now() - state_sent >= kStateEvery) {
      send_state(nullptr);
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

// Time that could not be kept up with is not caught up later.
void Session::keep_pace() {
  if (!playing_ || speed_ == 0) return;
  const double now = common_time();
  if (!std::isfinite(now)) return;
  const double gone = std::chrono::duration<double>(Clock::now() - paced_).count();
  const double due = paced_t_ + speed_ * gone;
  double longest = 0;
  for (std::size_t i = 0; i < panes_; ++i) longest = std::max(longest, slots_[i]->h);
  if (now >= due - longest - kLag * speed_ && now <= due + longest) return;
  paced_t_ = now;
  paced_ = Clock::now();
}

void Session::flush_rows(Slot& s) {
  if (s.told == s.rows.size()) return;
  to_all(rows_message(s.id, std::span(s.rows).subspan(s.told), s.columns));
  if (s.coordinates > 0) {
    const Message path = s.path_of(s.told / s.columns, s.rows.size() / s.columns);
    for (Client* client : clients_) client->data(path);
  }
  s.told = s.rows.size();
}

void Session::show(Client* only) {
  double t = seek_ ? *seek_ : common_time();
  for (std::size_t i = 0; i < panes_; ++i) {
    Slot& s = *slots_[i];
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
}

void Session::send_state(Client* only) {
  std::vector<PaneStatus> all;
  for (std::size_t i = 0; i < panes_; ++i) {
    const Slot& s = *slots_[i];
    all.push_back({.id = s.id,
                   .frame = s.shown_frame,
                   .frames = s.recording.empty() ? 0 : s.frame + 1,
                   .finished = s.finished,
                   .failed = s.failed,
                   .ms_per_step = s.ms_per_step});
  }
  const Message message = state_message(playing_, speed_, all);
  if (only) {
    only->text(message, false);
  } else {
    to_all(message);
  }
}

}  // namespace lilyan::view
