#include "app/run/energy_density.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/model/energy_abilities.hpp"

namespace lilyan {

VertexEnergies::VertexEnergies(const System& system)
    : energy_(static_cast<std::size_t>(system.vertices())), volume_(energy_.size()) {
  for (const auto& energy : system.energies()) {
    const EnergyDensity* source = energy->abilities().density;
    if (source) sources_.push_back(source);
  }
}

std::span<const double> VertexEnergies::densities(const Vector& x) {
  std::ranges::fill(energy_, 0.0);
  std::ranges::fill(volume_, 0.0);
  for (const EnergyDensity* source : sources_) source->add_energies(x.data(), energy_, volume_);
  for (std::size_t i = 0; i < energy_.size(); ++i) {
    const double density = energy_[i] / volume_[i];
    energy_[i] = std::isfinite(density) ? density : 0.0;
  }
  return energy_;
}

}  // namespace lilyan
