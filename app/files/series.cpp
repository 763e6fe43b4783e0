#include "app/files/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

double number_in_table(std::string_view text, const SourceLocation& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(where, fmt::format("expected a number, found '{}'", text));
  }
  return value;
}

}  // namespace

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
  iterations_ += report.solver_work.iterations;
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

NotFinite::NotFinite(int step, double t, const std::string& column, double value)
    : Error(fmt::format("step {} (t = {:.6g}): {} is {}", step, t, column,
                        std::isnan(value) ? "not a number" : "infinite")) {}

SeriesWriter::SeriesWriter(const std::filesystem::path& file, const std::vector<std::string>& more,
                           Opening opening)
    : file_(file, opening), columns_(series_columns(more)) {
  if (opening == Opening::resumed) return;
  file_.write(fmt::format("{}\n", fmt::join(columns_, ",")));
  flush();
}

void SeriesWriter::start(double t, const Invariants& initial, const std::vector<double>& more) {
  row(0, t, initial, more);
}

void SeriesWriter::add(int step, double t, const StepReport& report, bool write,
                       const std::vector<double>& more) {
  next_.add(report);
  if (write) {
    row(step, t, report.after, more);
  } else {
    SeriesRow alone;
    alone.add(report);
    require_finite(step, t, alone.take(step, t, report.after, {}));
  }
}

void SeriesWriter::finish(int step, double t, const Invariants& at,
                          const std::vector<double>& more) {
  if (next_.pending()) {
    const std::vector<double> values = next_.take(step, t, at, more);
    // A run that ended because they are not finite writes nothing more.
    if (std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) write(values);
  }
  flush();
}

void SeriesWriter::row(int step, double t, const Invariants& at, const std::vector<double>& more) {
  const std::vector<double> values = next_.take(step, t, at, more);
  require_finite(step, t, values);
  write(values);
}

void SeriesWriter::require_finite(int step, double t, const std::vector<double>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw NotFinite(step, t, columns_[i], values[i]);
  }
}

void SeriesWriter::write(const std::vector<double>& values) {
  file_.write(fmt::format("{:.17g}\n", fmt::join(values, ",")));
  // A killed run loses at most the last second.
  if (std::chrono::steady_clock::now() - flushed_ > std::chrono::seconds(1)) flush();
}

void SeriesWriter::flush() {
  file_.flush();
  flushed_ = std::chrono::steady_clock::now();
}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& file,
                                   const std::vector<std::string>& coordinates, Opening opening)
    : file_(file, opening) {
  if (opening == Opening::resumed) return;
  std::string columns = "step,t";
  for (const std::string& name : coordinates) columns += "," + name;
  for (const std::string& name : coordinates) columns += ",v_" + name;
  file_.write(columns + "\n");
  file_.flush();
}

void TrajectoryWriter::add(int step, const State& state) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{},{:.17g}", step, state.t);
  for (const double x : state.x) fmt::format_to(std::back_inserter(line), ",{:.17g}", x);
  for (const double v : state.v) fmt::format_to(std::back_inserter(line), ",{:.17g}", v);
  line.push_back('\n');
  file_.write({line.data(), line.size()});
  last_ = step;
  last_t_ = state.t;
}

void TrajectoryWriter::finish(int step, const State& state) {
  if (last_ != step || last_t_ != state.t) add(step, state);
  file_.flush();
}

NumberTable read_numbers(const std::filesystem::path& file) {
  std::ifstream stream(file);
  // A table that is cut short without a word would be worse than an exception.
  stream.exceptions(std::ios::badbit);
  NumberTable table;
  std::string line;
  if (!std::getline(stream, line) || line.empty()) {
    throw InputError({file.string(), 1, 0}, "this is no table: its columns have no names");
  }
  std::stringstream names(line);
  names.exceptions(std::ios::badbit);
  for (std::string name; std::getline(names, name, ',');) table.columns.push_back(name);
  for (int row = 2; std::getline(stream, line) && !stream.eof(); ++row) {
    const SourceLocation where{file.string(), row, 0};
    std::size_t count = 0;
    for (std::size_t at = 0; at <= line.size(); ++count) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      table.values.push_back(number_in_table(std::string_view(line).substr(at, end - at), where));
      at = end + 1;
    }
    if (count != table.columns.size()) {
      throw InputError(
          where, fmt::format("there are {} columns, expected {}", count, table.columns.size()));
    }
  }
  return table;
}

}  // namespace lilyan
