#include "lilyan/io/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {

SeriesWriter::SeriesWriter(const std::filesystem::path& file, std::vector<std::string> more)
    : file_(file), stream_(file) {
  std::string header = "step,t,energy_kinetic";
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    header += fmt::format(",energy_{}", name(static_cast<EnergyKind>(k)));
  }
  header +=
      ",energy_total,momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,"
      "angular_momentum_z,ledger_solver,ledger_quadrature,ledger_work,ledger_dissipation,"
      "ledger_method,newton_iterations,quadrature_points,step_size";
  for (const std::string& name : more) header += "," + name;
  header += "\n";
  stream_ << header;
  flush();
}

void SeriesWriter::start(double t, const Invariants& initial, const std::vector<double>& more) {
  row(0, t, initial, more);
}

void SeriesWriter::add(int step, double t, const StepReport& report, bool write,
                       const std::vector<double>& more) {
  ledger_ += report.ledger;
  iterations_ += report.iterations;
  points_ = std::max(points_, report.nodes);
  step_size_ = report.h;
  pending_ = true;
  if (write) row(step, t, report.after, more);
}

void SeriesWriter::finish(int step, double t, const Invariants& at,
                          const std::vector<double>& more) {
  if (pending_) row(step, t, at, more);
  flush();
}

void SeriesWriter::row(int step, double t, const Invariants& at, const std::vector<double>& more) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{}", step);
  const auto number = [&](double value) {
    fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  };
  number(t);
  number(at.kinetic);
  for (const double e : at.potential) number(e);
  number(at.total);
  for (int c = 0; c < 3; ++c) number(at.linear_momentum[c]);
  for (int c = 0; c < 3; ++c) number(at.angular_momentum[c]);
  for (const double entry :
       {ledger_.solver, ledger_.quadrature, ledger_.work, ledger_.dissipation, ledger_.method}) {
    number(entry);
  }
  fmt::format_to(std::back_inserter(line), ",{},{}", iterations_, points_);
  number(step_size_);
  for (const double value : more) number(value);
  line.push_back('\n');
  stream_.write(line.data(), static_cast<std::streamsize>(line.size()));
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
  ledger_ = {};
  iterations_ = 0;
  points_ = 0;
  pending_ = false;
  // A killed run loses at most the last second.
  if (std::chrono::steady_clock::now() - flushed_ > std::chrono::seconds(1)) flush();
}

void SeriesWriter::flush() {
  stream_.flush();
  flushed_ = std::chrono::steady_clock::now();
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

}  // namespace lilyan
