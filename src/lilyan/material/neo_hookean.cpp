#include "lilyan/material/neo_hookean.hpp"

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {

MaterialInfo neo_hookean() {
  return {.name = "neo-hookean",
          .summary = "Bonet–Burton neo-Hookean; infinite energy at inversion",
          .citation = "Bonet, Burton 1998",
          .use = "large deformations that must never invert an element",
          .parameters = neo_hookean_parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = neo_hookean_lame(given);
            return std::make_unique<Tets<NeoHookean>>(NeoHookean{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
