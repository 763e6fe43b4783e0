#include "app/cli/compare_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "app/cli/interrupt.hpp"

namespace lilyan::cli {
namespace {

constexpr double kTerminalSeconds = 0.1;

}  // namespace

CompareProgress::CompareProgress(std::vector<std::string> names, bool quiet)
    : names_(std::move(names)),
      states_(names_.size(), "waiting"),
      next_quarter_(names_.size(), 1),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0) {}

void CompareProgress::show(std::size_t run, const Scene& scene, const RunMoment& moment) {
  if (quiet_ || moment.step == 0) return;
  const double part = scene.variable_steps() ? (moment.state.t - scene.initial.t) / scene.duration
                                             : static_cast<double>(moment.step) / scene.steps;
  const std::lock_guard lock(mutex_);
  if (terminal_) {
    const Clock::time_point now = Clock::now();
    states_[run] = fmt::format("{:.0f}%", 100 * part);
    if (std::chrono::duration<double>(now - last_).count() < kTerminalSeconds) return;
    last_ = now;
    line();
  } else if (!moment.last && 4 * part >= next_quarter_[run]) {
    next_quarter_[run] = static_cast<int>(4 * part) + 1;
    tell(fmt::format("{}: {:.0f}%  ΔE/E₀ {:.1e}\n", names_[run], 100 * part,
                     moment.drift.energy().relative()));
  }
}

void CompareProgress::done(std::size_t run, const std::string& status) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  states_[run] = status;
  terminal_ ? line() : tell(fmt::format("{}: {}\n", names_[run], status));
}

void CompareProgress::line() {
  std::string text = "\r\033[K";
  for (std::size_t i = 0; i < names_.size(); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? "   " : "", names_[i], states_[i]);
  }
  tell(text);
}

void CompareProgress::finish() {
  if (terminal_ && !quiet_) tell("\n");
}

}  // namespace lilyan::cli
