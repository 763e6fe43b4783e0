// The elastic energy at the vertices of bodies, for pictures and frames.
#pragma once

#include <span>
#include <vector>

#include "lilyan/model/system.hpp"

namespace lilyan {

class VertexEnergies {
 public:
  // The system must outlive this.
  explicit VertexEnergies(const System& system);

  // Whether any of its energies is spread over a volume.
  [[nodiscard]] bool any() const { return !sources_.empty(); }
  // Energy per rest volume at each vertex, 0 where there is no volume.
  [[nodiscard]] std::span<const double> densities(const Vector& x);

 private:
  std::vector<const EnergyDensity*> sources_;
  std::vector<double> energy_, volume_;
};

}  // namespace lilyan
