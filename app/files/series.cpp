#include "app/files/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {

std::vector<std::string> series_columns(const std::vector<std::string>& more) {
  std::vector<std::string> columns = {"step", "t", "energy_kinetic"};
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    columns.push_back(fmt::format("energy_{}", name(static_cast<EnergyKind>(k))));
  }
  for (const char* column :
       {"energy_total", "momentum_x", "momentum_y", "momentum_z", "angular_momentum_x",
        "angular_momentum_y", "angular_momentum_z", "ledger_solver", "ledger_quadrature",
        "ledger_work", "ledger_dissipation", "ledger_method", "newton_iterations",
        "quadrature_points", "step_size"}) {
    columns.emplace_back(column);
  }
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

void SeriesRow::add(const StepReport& report) {
  ledger_ += report.ledger;
  iterations_ += report.iterations;
  points_ = std::max(points_, report.nodes);
  step_size_ = report.h;
  pending_ = true;
}

std::vector<double> SeriesRow::take(int step, double t, const Invariants& at,
                                    const std::vector<double>& more) {
  std::vector<double> row = {static_cast<double>(step), t, at.kinetic};
  row.insert(row.end(), at.potential.begin(), at.potential.end());
  row.push_back(at.total);
  for (int c = 0; c < 3; ++c) row.push_back(at.linear_momentum[c]);
  for (int c = 0; c < 3; ++c) row.push_back(at.angular_momentum[c]);
  for (const double entry :
       {ledger_.solver, ledger_.quadrature, ledger_.work, ledger_.dissipation, ledger_.method}) {
    row.push_back(entry);
  }
  row.push_back(iterations_);
  row.push_back(points_);
  row.push_back(step_size_);
  row.insert(row.end(), more.begin(), more.end());
  ledger_ = {};
  iterations_ = 0;
  points_ = 0;
  pending_ = false;
  return row;
}

SeriesWriter::SeriesWriter(const std::filesystem::path& file, std::vector<std::string> more)
    : file_(file), stream_(file) {
  stream_ << fmt::format("{}\n", fmt::join(series_columns(more), ","));
  flush();
}

void SeriesWriter::start(double t, const Invariants& initial, const std::vector<double>& more) {
  row(0, t, initial, more);
}

void SeriesWriter::add(int step, double t, const StepReport& report, bool write,
                       const std::vector<double>& more) {
  next_.add(report);
  if (write) row(step, t, report.after, more);
}

void SeriesWriter::finish(int step, double t, const Invariants& at,
                          const std::vector<double>& more) {
  if (next_.pending()) row(step, t, at, more);
  flush();
}

void SeriesWriter::row(int step, double t, const Invariants& at, const std::vector<double>& more) {
  stream_ << fmt::format("{:.17g}\n", fmt::join(next_.take(step, t, at, more), ","));
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
  // A killed run loses at most the last second.
  if (std::chrono::steady_clock::now() - flushed_ > std::chrono::seconds(1)) flush();
}

void SeriesWriter::flush() {
  stream_.flush();
  flushed_ = std::chrono::steady_clock::now();
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

}  // namespace lilyan
