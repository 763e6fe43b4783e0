// The progress line of a run, on standard error.
#pragma once

#include <chrono>

#include "app/run/runner.hpp"

namespace lilyan::cli {

// On a terminal one line that is rewritten a few times a second; otherwise a plain line every tenth
// of the run: of its steps, or of its time where their number is not known.
class Progress {
 public:
  explicit Progress(const Scene& scene);
  void show(const RunMoment& moment);
  void finish();  // leaves the terminal on a fresh line

 private:
  void tell_switches(const RunSummary& so_far);

  using Clock = std::chrono::steady_clock;

  const Scene& scene_;
  bool terminal_;
  bool shown_ = false;
  int next_tenth_ = 1;
  std::size_t switches_ = 0;  // of the linear solver, told so far
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = Clock::now();
};

}  // namespace lilyan::cli
