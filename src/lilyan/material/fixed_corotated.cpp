#include "lilyan/material/fixed_corotated.hpp"

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {

MaterialInfo fixed_corotated() {
  return {.name = "fixed-corotated",
          .summary = "linear elasticity that follows the rotation; finite at inversion",
          .citation = "Stomakhin, Howes, Schroeder, Teran 2012",
          .use = "stiff bodies with small strains and large rotations; inverted elements come back",
          .inverts = true,
          .parameters = lame_parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = lame(given);
            return std::make_unique<Tets<FixedCorotated>>(FixedCorotated{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
