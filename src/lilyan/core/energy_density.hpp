// Energies that can say where in a body they are.
#pragma once

#include <span>

namespace lilyan {

class EnergyDensity {
 public:
  virtual ~EnergyDensity() = default;
  // Adds each element's energy and rest volume to its vertices, in equal shares.
  virtual void add_energies(const double* x, std::span<double> energy,
                            std::span<double> volume) const = 0;
};

}  // namespace lilyan
