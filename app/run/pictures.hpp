// The pictures of a small system's run: its coordinates over time, its phase portrait, its energy,
// and those that the scene asks for ([[system.plot]], sections of [[system.event]]).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/figure.hpp"
#include "app/run/runner.hpp"
#include "app/run/thin_table.hpp"
#include "app/run/watch.hpp"

namespace lilyan {

class Pictures {
 public:
  explicit Pictures(const Scene& scene);

  void add(const RunMoment& moment, const Watch& watch);
  struct Named {
    std::string name;  // of its files, without ending
    FigureGrid figure;
  };
  [[nodiscard]] std::vector<Named> figures() const;
  // The files written, by name. Throws Error.
  std::vector<std::string> write(const std::filesystem::path& folder) const;

  // Names, without endings, of the pictures that a run of the scene may write.
  [[nodiscard]] static std::vector<std::string> names(const Scene& scene);

 private:
  [[nodiscard]] Figure trajectory() const;
  [[nodiscard]] FigureGrid phase() const;
  [[nodiscard]] FigureGrid energy() const;

  const Scene& scene_;
  std::size_t shown_;   // coordinates
  ThinTable states_;    // t, q, v
  ThinTable energies_;  // t, kinetic, potential, total, error, invariants' changes, exact error
  ThinTable plots_;
  std::vector<PlotSeries> sections_;  // one per event
  double start_energy_ = 0;
  double energy_scale_ = 0;
  std::vector<std::string> invariants_;
  bool exact_ = false;
};

}  // namespace lilyan
