#include "app/view/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/run/pace.hpp"
#include "app/view/pane_state.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::view {
namespace {

// A page cannot draw more rows in a tick, and nobody can see more steps.
constexpr int kMostRowsATick = 128;
constexpr int kMostStepsATick = 2000;

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)), paced_(Clock::now()) {
  for (std::size_t i = 0; i < kMostPanes; ++i) {
    panes_[i] = std::make_unique<PaneState>(i, options_.most_bytes / kMostPanes);
  }
  if (options_.make) {
    for (const auto& s : panes_) threads_.emplace_back([this, &s] { run_pane(*s); });
    threads_.emplace_back([this] { try_changes(); });
  }
  threads_.emplace_back([this] { send_updates(); });
}

Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const auto& s : panes_) s->stop_step();
    wake();
  }
  for (std::thread& thread : threads_) thread.join();
}

void Session::wake() {
  changed_.notify_all();
  news_.notify_all();
}

std::size_t Session::clients() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

Session::PaneState& Session::pane_state(std::size_t pane) {
  if (pane >= pane_count_) throw Error(fmt::format("there is no pane {}", pane));
  return *panes_[pane];
}

void Session::send_to_all(const Message& message, bool begins) {
  for (Client* client : clients_) client->text(message, begins);
}

double Session::common_time() const {
  double t = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pane_count_; ++i) {
    if (panes_[i]->running()) t = std::min(t, panes_[i]->t);
  }
  return t;
}

// If not, `when` tells when to look again.
bool Session::may_step(const PaneState& s, Clock::time_point& when) const {
  when = Clock::now() + std::chrono::hours(1);
  if (!s.running() || !s.pane) return false;
  if (s.steps_asked > 0) return true;
  if (!playing_ || seek_ || s.t > common_time() + kSameTime * s.h) return false;
  if (s.steps_in_tick >= kMostStepsATick || s.rows_in_tick >= kMostRowsATick) return false;
  if (speed_.now == 0) return true;
  const double due = (s.t + s.h - paced_t_) / speed_.now;  // seconds after paced_
  if (due < 3600)
    when = paced_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(due));
  return when <= Clock::now();
}

void Session::run_pane(PaneState& s) {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    Clock::time_point when;
    if (s.wants_load()) {
      load(s, lock);
    } else if (s.has_requests()) {
      carry_out_requests(s, lock);
    } else if (may_step(s, when)) {
      step(s, lock);
    } else {
      changed_.wait_until(lock, when);
    }
  }
}

void Session::load(PaneState& s, std::unique_lock<std::mutex>& lock) {
  const PaneId id = s.id;
  const PaneRequest request = s.request;
  s.load_asked = false;
  std::unique_ptr<Pane> old = std::move(s.pane);
  std::unique_ptr<Pane> pane = std::move(s.made);
  lock.unlock();
  old.reset();
  PaneMoment start;
  Message head, mesh;
  std::string why;
  try {
    if (!pane) pane = options_.make(id, request);
    mesh = pane->mesh();
    head = pane_message(id, pane->info());
    start = pane->start();
  } catch (const std::bad_alloc&) {
    why = "there is not enough memory for this scene";
  } catch (const std::exception& error) {
    why = error.what();
  }
  lock.lock();
  if (s.load_asked || !s.used) return;  // asked for something else in the meantime
  if (!why.empty()) {
    s.head = pane_error(id, request, why);
    s.error = true;
    send_to_all(s.head, true);
  } else {
    s.pane = std::move(pane);
    s.describe(s.pane->info());
    choose_speed();
    s.head = head;
    s.mesh = mesh;
    s.error = false;
    send_to_all(s.head, true);
    for (Client* client : clients_) {
      if (s.mesh) client->picture(s.id.pane, s.mesh);
    }
    store(s, std::move(start));
  }
  state_due_ = true;
  wake();
}

// A change is tried beside what runs, which goes on if it cannot be made.
void Session::try_changes() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto found = std::ranges::find_if(
        panes_, [](const auto& s) { return s->used && s->change_asked.has_value(); });
    if (found == panes_.end()) {
      changed_.wait(lock);
      continue;
    }
    PaneState& s = **found;
    s.changing = std::exchange(s.change_asked, std::nullopt);
    const PaneRequest request = *s.changing;
    const std::uint32_t before = s.id.run;
    const PaneId id{.pane = s.id.pane, .run = ++runs_};
    std::unique_ptr<Pane> pane;
    std::string why;
    lock.unlock();
    try {
      pane = options_.make(id, request);
    } catch (const std::bad_alloc&) {
      why = "there is not enough memory for this";
    } catch (const std::exception& error) {
      why = error.what();
    }
    lock.lock();
    s.changing.reset();
    if (!s.used || s.id.run != before) continue;  // replaced in the meantime
    if (!why.empty()) {
      const auto asker = std::ranges::find(clients_, s.changer);
      if (asker != clients_.end()) {
        (*asker)->text(refused_message(s.id.pane, request.settings, why), false);
      }
      continue;
    }
    const std::optional<PaneRequest> next = s.change_asked;
    begin(s, request);
    s.id = id;
    s.made = std::move(pane);
    s.change_asked = next;
    seek_.reset();
    play(playing_);
  }
}

namespace {

// The least of 1, 2 and 5 times powers of ten that is not below a number.
double round_above(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  double found = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power >= least * (1 - 1e-9)) found = digit * power;
  }
  return found;
}

}  // namespace

// The least of 1, 2 and 5 times powers of ten with which the longest run takes no more than half a minute; 1 if it
// takes some 10 to 30 seconds with that. But nobody can follow many periods in a second, so that the runs of small
// systems that have many take longer.
void Session::choose_speed() {
  double longest = 0;
  double period = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pane_count_; ++i) {
    longest = std::max(longest, panes_[i]->duration);
    if (panes_[i]->period > 0) period = std::min(period, panes_[i]->period);
  }
  constexpr double kShort = 10, kLong = 30;
  speed_.usual = 1;
  if (longest > 0 && std::isfinite(longest) && (longest < kShort || longest > kLong)) {
    speed_.usual = round_above(longest / kLong);
  }
  if (speed_.usual > kPeriodsASecond * period) {
    // Rounded down: half of it or more.
    speed_.usual = round_above(0.4 * kPeriodsASecond * period);
  }
  if (speed_.chosen || speed_.now == speed_.usual) return;
  speed_.now = speed_.usual;
  play(playing_);
}

// Pulls and clouds take effect between steps.
void Session::carry_out_requests(PaneState& s, std::unique_lock<std::mutex>& lock) {
  if (!s.used) {
    s.pane.reset();
    return;
  }
  const std::optional<PhaseCloudRequest> cloud = std::exchange(s.cloud_asked, std::nullopt);
  const bool pull_asked = std::exchange(s.pull_asked, false);
  const std::optional<Pull> pull = s.pull;
  const Client* asker = cloud ? s.cloud_asker : s.puller;
  Message picture;
  std::string message;
  lock.unlock();
  try {
    if (pull_asked) s.pane->pull(pull);
    if (cloud) {
      s.pane->cloud(*cloud);
      picture = s.pane->cloud_picture();
    }
  } catch (const std::exception& error) {
    message = error.what();
  }
  lock.lock();
  if (!message.empty()) {
    const auto found = std::ranges::find(clients_, asker);
    if (found != clients_.end()) (*found)->text(error_message(message), false);
  }
  if (cloud && cloud->count == 0) s.cloud_removed = true;
  if (picture && !s.load_asked && s.used) s.recording.replace_cloud(std::move(picture));
  news_.notify_all();
}

void Session::step(PaneState& s, std::unique_lock<std::mutex>& lock) {
  if (s.steps_asked > 0) --s.steps_asked;
  Pane& pane = *s.pane;  // only this thread replaces it
  lock.unlock();
  const Clock::time_point before = Clock::now();
  PaneMoment moment;
  try {
    moment = pane.step();
  } catch (const std::exception& error) {
    moment = {.done = true, .failed = error.what()};
  }
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
  lock.lock();
  if (s.load_asked || !s.used || stop_) return;  // nobody waits for it any more
  // A replay only reads files: its time says nothing about steps.
  if (!pane.info().replay) {
    s.ms_per_step = s.ms_per_step == 0 ? ms : 0.9 * s.ms_per_step + 0.1 * ms;
  }
  ++s.steps_in_tick;
  store(s, std::move(moment));
  // Other panes may have waited for this one, and clients for the result of a single step.
  changed_.notify_all();
  if (!playing_ && s.steps_asked == 0) news_.notify_all();
}

void Session::store(PaneState& s, PaneMoment moment) {
  if (!moment.row.empty() && !s.rows_end) {
    s.rows.insert(s.rows.end(), moment.row.begin(), moment.row.end());
    ++s.rows_in_tick;
    s.rows_end = s.full();
    if (s.rows_end) {
      send_to_all(
          error_message("the curves end here: a live view keeps no more rows than these; the "
                        "run goes on"));
    }
  }
  const std::size_t width = s.path_shape.width();
  for (std::size_t i = 0; width > 0 && i + width <= moment.path.size(); i += width) {
    s.add_to_path(std::span(moment.path).subspan(i, width));
  }
  if (s.sections.size() < kMostSectionNumbers) {
    s.sections.insert(s.sections.end(), moment.sections.begin(), moment.sections.end());
  }
  s.finished = moment.done;
  s.interrupted = moment.interrupted;
  s.failed = std::move(moment.failed);
  s.verdicts = std::move(moment.verdicts);
  if (s.finished) state_due_ = true;
  if (!moment.picture) return;
  if (moment.t > s.t) s.h = moment.t - s.t;
  s.t = moment.t;
  s.frame = moment.frame;
  s.recording.add({moment.frame, moment.t, std::move(moment.picture), std::move(moment.cloud)});
}

void Session::feed(const PaneInfo& info, PaneId id, const Message& mesh) {
  const std::lock_guard lock(mutex_);
  PaneState& s = *panes_[0];
  pane_count_ = 1;
  s.used = true;
  s.id = id;
  s.describe(info);
  s.head = pane_message(id, info);
  s.mesh = mesh;
  playing_ = true;
  send_to_all(s.head, true);
}

void Session::feed(PaneMoment moment) {
  const std::lock_guard lock(mutex_);
  store(*panes_[0], std::move(moment));
}

}  // namespace lilyan::view
