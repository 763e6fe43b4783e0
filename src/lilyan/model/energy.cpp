#include "lilyan/model/energy.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

Stencils Energy::stencils_with(const EnergyMemory* memory) const {
  const ChangesBetweenSteps* changes = memory ? abilities().changes : nullptr;
  const std::optional<Stencils> now = changes ? changes->stencils_now(*memory) : std::nullopt;
  return now ? *now : stencils();
}

std::optional<int> Energy::force_degree() const {
  const ForcePolynomial* polynomial = abilities().polynomial;
  return polynomial ? polynomial->degree_of_force() : std::nullopt;
}

void Energy::raise_to_positions(const double* x, int dimension, const EnergyMemory* memory,
                                std::span<double> lengths) const {
  for (const int v : stencils_with(memory).vertices) {
    for (int i = dimension * v; i < dimension * (v + 1); ++i) {
      double& length = lengths[static_cast<std::size_t>(i)];
      length = std::max(length, std::abs(x[i]));
    }
  }
}

void Energy::raise_lengths(const double* x, int dimension, const EnergyMemory* memory,
                           std::span<double> lengths) const {
  if (const KnowsLengths* own = abilities().lengths) {
    return own->raise_own_lengths(x, dimension, memory, lengths);
  }
  if (!translation_invariant()) return raise_to_positions(x, dimension, memory, lengths);
  const Stencils s = stencils_with(memory);
  const auto size = static_cast<std::size_t>(s.size);
  for (std::size_t first = 0; first < s.vertices.size(); first += size) {
    const auto element = s.vertices.subspan(first, size);
    double square = 0;  // of the diagonal of the box around the element
    for (int c = 0; c < dimension; ++c) {
      const auto [low, high] = std::ranges::minmax(
          element, {}, [&](int v) { return x[std::ptrdiff_t{dimension} * v + c]; });
      const double side =
          x[std::ptrdiff_t{dimension} * high + c] - x[std::ptrdiff_t{dimension} * low + c];
      square += side * side;
    }
    const double diagonal = std::sqrt(square);
    for (const int v : element) {
      for (int i = dimension * v; i < dimension * (v + 1); ++i) {
        double& length = lengths[static_cast<std::size_t>(i)];
        length = std::max(length, diagonal);
      }
    }
  }
}

}  // namespace lilyan
