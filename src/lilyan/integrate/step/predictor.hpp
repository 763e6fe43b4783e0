// A start for the solves that are not minimisations.
#pragma once

#include <algorithm>
#include <memory>

#include "lilyan/integrate/integrator.hpp"

namespace lilyan {

// AVF, whose minimiser cannot get lost and whose step differs from those of the other methods of
// order two by the third order of h: so it need not be solved well.
[[nodiscard]] inline std::unique_ptr<Integrator> make_predictor(const System& system,
                                                                SolverOptions options) {
  constexpr double kTolerance = 1e-3;
  options.energy_tolerance = std::max(options.energy_tolerance, kTolerance);
  options.velocity_tolerance = std::max(options.velocity_tolerance, kTolerance);
  return make_plain_integrator(system, make_scheme("avf"), options);
}

}  // namespace lilyan
