// events.csv: the events of a run, one row each.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>

#include "app/run/between.hpp"

namespace lilyan {

class EventWriter {
 public:
  // Columns event (its name), t, the coordinates, their velocities, energy_total and invariant_*.
  // Throws Error when the file cannot be written, now or later. The scene must outlive this.
  EventWriter(const std::filesystem::path& file, const Scene& scene);

  void add(std::span<const EventHit> events);
  void finish();
  [[nodiscard]] const std::map<std::string, int>& counts() const { return counts_; }

 private:
  void check() const;

  std::filesystem::path file_;
  std::ofstream stream_;
  const Scene& scene_;
  std::map<std::string, int> counts_;
};

}  // namespace lilyan
