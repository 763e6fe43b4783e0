// The progress of several runs at a time, on standard error.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "app/run/runner.hpp"

namespace lilyan::cli {

// On a terminal one line for all, rewritten a few times a second; otherwise a plain line for every
// quarter of each. May be told by several threads.
class CompareProgress {
 public:
  CompareProgress(std::vector<std::string> names, bool quiet);
  void show(std::size_t run, const Scene& scene, const RunMoment& moment);
  void done(std::size_t run, const std::string& status);
  void finish();  // leaves the terminal on a fresh line

 private:
  void line();

  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::vector<std::string> names_;
  std::vector<std::string> states_;  // "waiting", "45%", "finished"
  std::vector<int> next_quarter_;
  bool quiet_;
  bool terminal_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace lilyan::cli
