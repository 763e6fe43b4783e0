// The pictures of a small system's run: its coordinates over time, its phase portrait, its energy,
// and those that the scene asks for ([[system.plot]], sections of [[system.event]]).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lilyan/plot/figure.hpp"
#include "lilyan/run/runner.hpp"
#include "lilyan/run/watch.hpp"

namespace lilyan {

class Pictures {
 public:
  explicit Pictures(const Scene& scene);

  void add(const RunMoment& moment, const Watch& watch);
  // The files written, by name. Throws Error.
  std::vector<std::string> write(const std::filesystem::path& folder) const;

  // Names, without endings, of the pictures that a run of the scene may write.
  [[nodiscard]] static std::vector<std::string> names(const Scene& scene);

 private:
  // Columns of numbers, of which every second is dropped when there are too many.
  class Table {
   public:
    explicit Table(std::size_t columns) : columns_(columns) {}
    [[nodiscard]] bool due();
    void set(std::size_t column, double value) { columns_[column].push_back(value); }
    [[nodiscard]] const std::vector<double>& operator[](std::size_t c) const { return columns_[c]; }
    [[nodiscard]] bool empty() const { return columns_.empty() || columns_[0].empty(); }

   private:
    std::vector<std::vector<double>> columns_;
    std::size_t stride_ = 1;
    std::size_t seen_ = 0;
  };

  [[nodiscard]] Figure trajectory() const;
  [[nodiscard]] FigureGrid phase() const;
  [[nodiscard]] FigureGrid energy() const;

  const Scene& scene_;
  std::size_t shown_;  // coordinates
  Table states_;       // t, q, v
  Table energies_;     // t, kinetic, potential, total, error, invariants' changes, exact error
  Table plots_;
  std::vector<PlotSeries> sections_;  // one per event
  double start_energy_ = 0;
  double energy_scale_ = 0;
  std::vector<std::string> invariants_;
  bool exact_ = false;
};

}  // namespace lilyan
