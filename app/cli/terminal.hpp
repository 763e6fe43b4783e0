// Messages and progress on standard error while a command works, and its interruption.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lilyan {
struct RunMoment;
struct RunSummary;
struct Scene;
}  // namespace lilyan

namespace lilyan::cli {

// The first signal ends a run, with everything up to the last finished step written. The second one
// ends the program at once.
void catch_interrupts();
[[nodiscard]] bool interrupted();
// The flag behind interrupted(), for runs to look at within their steps.
[[nodiscard]] const std::atomic<bool>* interrupt_flag();

// Writes to standard error. It may be gone (a closed pipe, a full disk), which must not end a run. On a terminal
// "error:" and "warning:" at the start are in colour.
void tell(std::string_view text);

enum class Colour { red = 31, green = 32, yellow = 33, blue = 36 };
// The text in that colour if standard output is a terminal, and NO_COLOR is not set; otherwise the text.
[[nodiscard]] std::string in_colour(Colour colour, const std::string& text);

// The exit code when memory is not enough, even for handling that: 2 until something else is said.
void at_fatal_error(int code);
[[nodiscard]] int fatal_error_code();

// The progress of a run, on standard error. On a terminal it is one line, rewritten a few times a
// second; otherwise a plain line every tenth of the run: of its steps, or of its time where their
// number is not known.
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

// The progress of several runs at a time, on standard error. On a terminal it is one line for all,
// rewritten a few times a second; otherwise a plain line for every quarter of each. Several threads
// may use it.
class CompareProgress {
 public:
  CompareProgress(std::vector<std::string> names, bool quiet);
  void show(std::size_t run, const Scene& scene, const RunMoment& moment);
  // A line about a run of its own.
  void note(std::size_t run, const std::string& text);
  void done(std::size_t run, const std::string& status);
  void finish();  // leaves the terminal on a fresh line

 private:
  void rewrite_line();

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
