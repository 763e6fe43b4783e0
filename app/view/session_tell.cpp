// The thread of a session that tells its clients what is new.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "app/view/encode.hpp"
#include "app/view/session.hpp"
#include "app/view/slot.hpp"

namespace lilyan::view {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 16ms;
constexpr auto kStateEvery = 100ms;
constexpr std::size_t kMostRowsAtOnce = 8192;
constexpr double kLag = 0.1;  // seconds that a run may fall behind before time waits for it

}  // namespace

void Session::tell() {
  std::unique_lock lock(mutex_);
  Clock::time_point state_sent = Clock::now() - kStateEvery;
  while (!stop_) {
    for (std::size_t i = 0; i < panes_; ++i) {
      Slot& s = *slots_[i];
      flush_rows(s, lock);
      s.rows_in_tick = s.steps_in_tick = 0;
    }
    play_recording();
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

// Goes on from where it was put back to; new steps are made once the newest frame is reached.
void Session::play_recording() {
  if (!playing_ || !seek_) return;
  const Clock::time_point now = Clock::now();
  *seek_ += speed_ * std::chrono::duration<double>(now - sought_).count();
  sought_ = now;
  double newest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < panes_; ++i) newest = std::max(newest, slots_[i]->t);
  if (*seek_ < newest) return;
  seek_.reset();
  play(true);
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

// Texts are made with the session unlocked, so that no run waits for them, and a part at a time; of
// what nobody watches none are made.
void Session::flush_rows(Slot& s, std::unique_lock<std::mutex>& lock) {
  if (clients_.empty() || s.rows.empty()) return;
  const PaneId id = s.id;
  const std::size_t columns = s.columns;
  const std::size_t coordinates = s.coordinates;
  const std::vector<double> rows = std::exchange(s.rows, {});
  const std::vector<double> path = std::exchange(s.path, {});
  s.taken = rows.size() + path.size();
  const std::size_t entry = coordinates > 0 ? 1 + 2 * coordinates : 0;
  const std::size_t all = rows.size() / columns;
  for (std::size_t begin = 0; begin < all && !stop_; begin += kMostRowsAtOnce) {
    const std::size_t count = std::min(kMostRowsAtOnce, all - begin);
    const std::size_t first = s.told_rows;
    lock.unlock();
    Slot::Told told{.rows = rows_message(
                        id, std::span(rows).subspan(begin * columns, count * columns), columns)};
    if (coordinates > 0) {
      told.path = path_message(id, first, coordinates,
                               std::span(path).subspan(begin * entry, count * entry));
    }
    lock.lock();
    if (s.id.run != id.run) return;  // replaced in the meantime
    s.told_rows += count;
    s.told_bytes += told.rows->size() + (told.path ? told.path->size() : 0);
    for (Client* client : clients_) {
      client->kept(told.rows, false);
      if (told.path) client->kept(told.path, true);
    }
    s.told.push_back(std::move(told));
  }
  s.taken = 0;
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
  if (only) return;
  // Of a cloud that was removed while the frames went by unseen.
  for (std::size_t i = 0; i < panes_; ++i) {
    Slot& s = *slots_[i];
    if (!std::exchange(s.cloud_removed, false)) continue;
    const Message gone = cloud_message(s.id, s.frame, s.t, {}, {});
    for (Client* client : clients_) client->picture(2 * kMostPanes + i, gone);
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
