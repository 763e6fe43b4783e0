// The figures of a small system's run: its coordinates over time, its phase portrait, its energy,
// and those that the scene asks for ([[system.plot]], sections of [[system.event]]).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/report/figure.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/run/thinned_table.hpp"

namespace lilyan {

class SystemFigures {
 public:
  explicit SystemFigures(const Scene& scene);

  void add(const RunMoment& moment, const Watch& watch);
  // Each with the name of its files, without ending.
  [[nodiscard]] std::vector<std::pair<std::string, FigureGrid>> figures() const;
  // Writes them as SVG files and returns the names of these. Throws Error.
  [[nodiscard]] std::vector<std::string> write(const std::filesystem::path& folder) const;

 private:
  [[nodiscard]] Figure trajectory() const;
  [[nodiscard]] FigureGrid phase() const;
  [[nodiscard]] FigureGrid energy() const;

  const Scene& scene_;
  std::size_t shown_;      // coordinates
  ThinnedTable states_;    // t, q, v
  ThinnedTable energies_;  // t, kinetic, potential, total, error, invariants' changes, exact error
  ThinnedTable plots_;
  std::vector<PlotSeries> sections_;  // one per event
  double start_energy_ = 0;
  double energy_scale_ = 0;
  std::vector<std::string> invariants_;
  bool exact_ = false;
};

}  // namespace lilyan
