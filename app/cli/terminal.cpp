#include "app/cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan::cli {
namespace {

std::atomic<bool> caught = false;
static_assert(std::atomic<bool>::is_always_lock_free, "handlers of signals may not wait");

void on_signal(int signal) {
  if (caught.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

std::atomic<int> fatal_code = kBadInput;

constexpr double kTerminalSeconds = 0.1;
constexpr std::size_t kTold = 6;  // runs at a time of which each quarter is told

// "45s", "3m20s", "2h05m"
std::string spelled_duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<long>(std::lround(seconds));
  if (s >= 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  if (s >= 60) return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}s", s);
}

// See https://no-color.org.
bool takes_colour(int file) {
  const char* no = std::getenv("NO_COLOR");
  return isatty(file) != 0 && !(no && *no);
}

std::string painted(Colour colour, std::string_view text) {
  return fmt::format("\033[{}m{}\033[0m", static_cast<int>(colour), text);
}

// "━━━━━━━━────────────": a bar of twenty letters.
std::string bar(double done) {
  constexpr int kLetters = 20;
  const int full = std::clamp(static_cast<int>(kLetters * done), 0, kLetters);
  std::string left, right;
  for (int k = 0; k < kLetters; ++k) (k < full ? left : right) += k < full ? "━" : "─";
  return takes_colour(STDERR_FILENO) ? painted(Colour::green, left) + right : left + right;
}

// How much of a run is done, from 0 to 1.
double part_done(const Scene& scene, const RunMoment& moment) {
  return scene.settings.variable_steps()
             ? (moment.state.t - scene.initial.t) / scene.settings.duration
             : static_cast<double>(moment.step) / scene.settings.steps;
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return caught; }
const std::atomic<bool>* interrupt_flag() { return &caught; }

void at_fatal_error(int code) { fatal_code = code; }
int fatal_error_code() { return fatal_code; }

void tell(std::string_view text) {
  for (const auto& [word, colour] :
       {std::pair{std::string_view("error:"), Colour::red}, {"warning:", Colour::yellow}}) {
    if (!text.starts_with(word) || !takes_colour(STDERR_FILENO)) continue;
    const std::string start = painted(colour, word);
    (void)std::fwrite(start.data(), 1, start.size(), stderr);
    text.remove_prefix(word.size());
  }
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string in_colour(Colour colour, const std::string& text) {
  return takes_colour(STDOUT_FILENO) ? painted(colour, text) : text;
}

Progress::Progress(const Scene& scene) : scene_(scene), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const RunMoment& moment) {
  if (moment.step == 0) return;
  tell_switches(moment.so_far);
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  const double t = moment.state.t - scene_.initial.t;
  const double done = moment.last ? 1 : part_done(scene_, moment);
  if (terminal_) {
    if (since < kTerminalSeconds && !moment.last) return;
  } else {
    if (10 * done < next_tenth_) return;
    next_tenth_ = static_cast<int>(10 * done) + 1;
  }
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed * (1 - done) / done;
  const std::string place =
      scene_.settings.variable_steps()
          ? fmt::format("t {:.4g}/{:.4g}  step {}", t, scene_.settings.duration, moment.step)
          : fmt::format("step {}/{}", moment.step, scene_.settings.steps);
  std::string line =
      fmt::format("{}{:3.0f}%  {}  {} left  {:.1f} iterations/step  ΔE/E₀ {:.1e}",
                  terminal_ ? bar(done) + " " : "", 100 * done, place, spelled_duration(left),
                  static_cast<double>(moment.so_far.solver_work.iterations) / moment.step,
                  moment.drift.energy().relative());
  if (moment.drift.spin().any()) {
    line += fmt::format("  |ΔL|/|L| {:.1e}", moment.drift.angular_momentum().relative());
  }
  std::fputs((terminal_ ? "\r\033[K" + line : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::tell_switches(const RunSummary& so_far) {
  for (; switches_ < so_far.switches.size(); ++switches_) {
    const auto& [step, from, to] = so_far.switches[switches_];
    std::fputs(fmt::format("{}step {}: linear solver {} instead of {}: {}\n",
                           terminal_ && shown_ ? "\r\033[K" : "", step, to, from,
                           to == "pcg" ? "another try"
                                       : "conjugate gradients did not get there soon enough")
                   .c_str(),
               stderr);
  }
}

void Progress::finish() {
  if (terminal_ && shown_) std::fputs("\n", stderr);
}

CompareProgress::CompareProgress(std::vector<std::string> names, bool quiet)
    : names_(std::move(names)),
      states_(names_.size(), "waiting"),
      next_quarter_(names_.size(), 1),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0) {}

void CompareProgress::show(std::size_t run, const Scene& scene, const RunMoment& moment) {
  if (quiet_ || moment.step == 0) return;
  const double part = part_done(scene, moment);
  const std::lock_guard lock(mutex_);
  if (terminal_) {
    const Clock::time_point now = Clock::now();
    states_[run] = fmt::format("{:.0f}%", 100 * part);
    if (std::chrono::duration<double>(now - last_).count() < kTerminalSeconds) return;
    last_ = now;
    rewrite_line();
  } else if (names_.size() <= kTold && !moment.last && 4 * part >= next_quarter_[run]) {
    next_quarter_[run] = static_cast<int>(4 * part) + 1;
    tell(fmt::format("{}: {:.0f}%  ΔE/E₀ {:.1e}\n", names_[run], 100 * part,
                     moment.drift.energy().relative()));
  }
}

void CompareProgress::done(std::size_t run, const std::string& status) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  states_[run] = status;
  terminal_ ? rewrite_line() : tell(fmt::format("{}: {}\n", names_[run], status));
}

void CompareProgress::note(std::size_t run, const std::string& text) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  tell(fmt::format("{}{}: {}\n", terminal_ ? "\r\033[K" : "", names_[run], text));
}

// Of many runs only those that are under way, and how many are done.
void CompareProgress::rewrite_line() {
  std::string text = "\r\033[K";
  if (names_.size() > kTold) {
    std::size_t done = 0;
    std::string under_way;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool going = states_[i].ends_with('%');
      if (going) under_way += fmt::format("   {} {}", names_[i], states_[i]);
      done += static_cast<std::size_t>(!going && states_[i] != "waiting");
    }
    tell(fmt::format("{}{} of {} done{}", text, done, names_.size(), under_way));
    return;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? "   " : "", names_[i], states_[i]);
  }
  tell(text);
}

void CompareProgress::finish() {
  if (terminal_ && !quiet_) tell("\n");
}

}  // namespace lilyan::cli
