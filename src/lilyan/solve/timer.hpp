// Time spent in parts of a solve.
#pragma once

#include <chrono>

namespace lilyan {

// Adds the time until its end to a counter. Without a counter it does not ask the clock, which takes
// as long as a small system's equations.
class Timer {
 public:
  explicit Timer(double* seconds) : seconds_(seconds) {
    if (seconds_) start_ = Clock::now();
  }
  ~Timer() {
    if (seconds_) *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* seconds_;
  Clock::time_point start_;
};

}  // namespace lilyan
