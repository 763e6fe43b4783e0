#include "lilyan/model/mass.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

constexpr double kLeastMass = 1e-100;

}  // namespace

Mass::Mass(std::span<const double> of_vertices, int dimension)
    : diagonal_(dimension * static_cast<Eigen::Index>(of_vertices.size())) {
  for (std::size_t i = 0; i < of_vertices.size(); ++i) {
    const double mass = of_vertices[i];
    if (!(mass > 0) || !std::isfinite(mass)) {
      throw Error("vertex " + std::to_string(i) + " has mass " + std::to_string(mass) +
                  ": masses must be positive");
    }
    // Kinetic energies and residuals are squares, which vanish below 1e-308.
    if (mass < kLeastMass) {
      throw Error(
          fmt::format("vertex {} has mass {:.3g}: masses below {:.0e} vanish in rounding; "
                      "use other units",
                      i, mass, kLeastMass));
    }
    diagonal_.segment(dimension * static_cast<Eigen::Index>(i), dimension).setConstant(mass);
  }
  inverse_ = diagonal_.cwiseInverse();
}

}  // namespace lilyan
