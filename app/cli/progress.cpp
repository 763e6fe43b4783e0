#include "app/cli/progress.hpp"

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

Progress::Progress(const Scene& scene) : scene_(scene), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const RunMoment& moment) {
  if (moment.step == 0) return;
  tell_switches(moment.so_far);
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  const double t = moment.state.t - scene_.initial.t;
  const double done = moment.last               ? 1
                      : scene_.variable_steps() ? t / scene_.duration
                                                : static_cast<double>(moment.step) / scene_.steps;
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
      scene_.variable_steps()
          ? fmt::format("t {:.4g}/{:.4g}  step {}", t, scene_.duration, moment.step)
          : fmt::format("step {}/{}", moment.step, scene_.steps);
  std::string line =
      fmt::format("{:3.0f}%  {}  {} left  {:.1f} iterations/step  ΔE/E₀ {:.1e}", 100 * done, place,
                  duration(left), static_cast<double>(moment.so_far.iterations) / moment.step,
                  moment.drift.energy().relative());
  if (scene_.system->dimension() == 3) {
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

}  // namespace lilyan::cli
