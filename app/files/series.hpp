// The series of a run, one row per step, and series.csv.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lilyan/core/step_report.hpp"

namespace lilyan {

// Columns (docs/results.md says the same):
//   step, t                    number of the step that ended here, and the time reached
//   energy_*                   at time t, from x and v of that time; total is their sum
//   momentum_*                 Σ m v at time t
//   angular_momentum_*         Σ m x × v at time t, about the origin
//   ledger_*                   where the change of energy_total since the row before went (summed
//                              over the steps between, when rows are skipped)
//   newton_iterations          linear solves since the row before
//   quadrature_points          most Gauss points of a step since then, of an adaptive quadrature
//   step_size                  length of the step that ended here; 0 in the first row
//   invariant_*, exact_error   of scenes that name them
// The first row is the initial state, with an empty ledger.
[[nodiscard]] std::vector<std::string> series_columns(const std::vector<std::string>& more = {});

// Gathers what belongs into a row.
class SeriesRow {
 public:
  // Takes a step in.
  void add(const StepReport& report);
  // Whether steps were taken in since the last row.
  [[nodiscard]] bool pending() const { return pending_; }
  // The row of the state now reached, in the order of the columns; begins the next one.
  [[nodiscard]] std::vector<double> take(int step, double t, const Invariants& at,
                                         const std::vector<double>& more);

 private:
  Ledger ledger_;
  int iterations_ = 0;
  int points_ = 0;
  double step_size_ = 0;
  bool pending_ = false;
};

class SeriesWriter {
 public:
  // Throws Error when the file cannot be written, now or later.
  // `more` are names of further columns, at the end.
  explicit SeriesWriter(const std::filesystem::path& file, std::vector<std::string> more = {});

  void start(double t, const Invariants& initial, const std::vector<double>& more = {});
  // Takes every step in; writes a row for those that are multiples of `every`, and for the last.
  void add(int step, double t, const StepReport& report, bool write,
           const std::vector<double>& more = {});
  // Writes what was taken in since the last row, if anything: the end of a run cut short.
  void finish(int step, double t, const Invariants& at, const std::vector<double>& more = {});

 private:
  void row(int step, double t, const Invariants& at, const std::vector<double>& more);
  void flush();

  std::filesystem::path file_;
  std::ofstream stream_;
  SeriesRow next_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace lilyan
