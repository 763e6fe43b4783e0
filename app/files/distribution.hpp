// Collects a quantity over the elements of a mesh.
#pragma once

#include <vector>

#include "app/files/mesh_quality.hpp"

namespace lilyan {

class Collector {
 public:
  void add(double value) { values_.push_back(value); }
  // Bins over [low, high], or over what was found.
  [[nodiscard]] Distribution distribution(double low, double high) const;
  [[nodiscard]] Distribution distribution() const;

 private:
  std::vector<double> values_;
};

}  // namespace lilyan
