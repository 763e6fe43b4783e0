#include "lilyan/material/stvk.hpp"

#include "lilyan/energy/tets.hpp"
#include "lilyan/material/material.hpp"

namespace lilyan::material {

MaterialInfo stvk() {
  return {.name = "stvk",
          .summary = "St. Venant–Kirchhoff; polynomial, does not resist inversion",
          .parameters = lame_parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = lame(given);
            return std::make_unique<Tets<Stvk>>(Stvk{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
