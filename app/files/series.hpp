// The tables of a run: series.csv, with one row per step, and trajectory.csv, with one row per frame.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "app/files/file.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

// Columns (docs/results.md says the same):
//   step, t                    number of the step that ended here, and the time reached
//   energy_*                   at time t, from x and v of that time; total is their sum
//   momentum_*                 Σ m v at time t
//   angular_momentum_*         Σ m x × v at time t, about the origin
//   ledger_*                   where the change of energy_total since the row before went (summed
//                              over the steps between, when rows are skipped)
//   newton_iterations          linear solves since the row before
//   quadrature_points          most points of a step since then, of an adaptive quadrature
//   step_size                  length of the step that ended here; 0 in the first row
//   invariant_*, exact_error   of scenes that name them
//   contact_depth              of scenes with contact: how deep the deepest vertex was since the row before
// The first row is the initial state, with an empty ledger.
[[nodiscard]] std::vector<std::string> series_columns(const std::vector<std::string>& more = {});

// "step 12 (t = 0.4): energy_total is not a number"
class NotFinite : public Error {
 public:
  NotFinite(int step, double t, const std::string& column, double value);
};

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
  void archive(Archive& a) { a(ledger_, iterations_, points_, step_size_, pending_); }

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
  explicit SeriesWriter(const std::filesystem::path& file,
                        const std::vector<std::string>& more = {},
                        Opening opening = Opening::fresh);

  void start(double t, const Invariants& initial, const std::vector<double>& more = {});
  // Takes every step in, and writes a row when asked to. Throws Error, with the column, for a value that
  // is not finite, in a row or not: nothing after it can be trusted.
  void add(int step, double t, const StepReport& report, bool write,
           const std::vector<double>& more = {});
  // Writes what was taken in since the last row, if anything: the end of a run cut short.
  void finish(int step, double t, const Invariants& at, const std::vector<double>& more = {});
  void archive(Archive& a) { a(file_, next_); }

 private:
  void require_finite(int step, double t, const std::vector<double>& values) const;
  void row(int step, double t, const Invariants& at, const std::vector<double>& more);
  void write(const std::vector<double>& values);
  void flush();

  OutputFile file_;
  std::vector<std::string> columns_;
  SeriesRow next_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

// trajectory.csv: coordinates and velocities of a small system.
class TrajectoryWriter {
 public:
  // Columns step, t, the coordinates by their names, and each again with a v_ in front. Throws
  // Error when the file cannot be written, now or later.
  TrajectoryWriter(const std::filesystem::path& file, const std::vector<std::string>& coordinates,
                   Opening opening = Opening::fresh);

  void add(int step, const State& state);
  // Writes the last state unless that is there already.
  void finish(int step, const State& state);
  void archive(Archive& a) { a(file_, last_, last_t_); }

 private:
  OutputFile file_;
  int last_ = -1;
  double last_t_ = 0;
};

// A CSV file of numbers with a line of names above them, as both of these are.
struct NumberTable {
  std::vector<std::string> columns;
  std::vector<double> values;  // row after row

  [[nodiscard]] std::size_t rows() const { return values.size() / columns.size(); }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
};

// Throws InputError, with the line, for anything that is not such a file. A last line without its
// end is left out: its writer was killed.
[[nodiscard]] NumberTable read_numbers(const std::filesystem::path& file);

}  // namespace lilyan
