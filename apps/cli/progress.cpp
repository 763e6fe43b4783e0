#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace lilyan::cli {
namespace {

constexpr double kTerminalSeconds = 0.1;

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto s = static_cast<long>(std::lround(seconds));
  if (s >= 3600) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  if (s >= 60) return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}s", s);
}

}  // namespace

Progress::Progress(int steps) : steps_(steps), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const RunMoment& moment) {
  if (moment.step == 0 || steps_ == 0) return;
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  const bool last = moment.step == steps_;
  if (terminal_) {
    if (since < kTerminalSeconds && !last) return;
  } else {
    if (10L * moment.step < static_cast<long>(next_tenth_) * steps_) return;
    next_tenth_ = static_cast<int>(10L * moment.step / steps_) + 1;
  }
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed * (steps_ - moment.step) / moment.step;
  const std::string line = fmt::format(
      "{:3.0f}%  step {}/{}  {} left  {:.1f} iterations/step  ΔE/E₀ {:.1e}  |ΔL|/|L| {:.1e}",
      100.0 * moment.step / steps_, moment.step, steps_, duration(left),
      static_cast<double>(moment.so_far.iterations) / moment.step, moment.drift.energy().relative(),
      moment.drift.angular_momentum().relative());
  std::fputs((terminal_ ? "\r\033[K" + line : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::finish() {
  if (terminal_ && shown_) std::fputs("\n", stderr);
}

}  // namespace lilyan::cli
