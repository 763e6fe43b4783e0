#include "lilyan/material/stvk.hpp"

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {

MaterialInfo stvk() {
  return {.name = "stvk",
          .summary = "St. Venant–Kirchhoff; polynomial, does not resist inversion",
          .citation = "Teran, Sifakis, Irving, Fedkiw 2005",
          .use = "moderate compression; the cheapest, and AVF is exact with its default two points",
          .inverts = true,
          .degree = 4,
          .parameters = lame_parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = lame(given);
            return std::make_unique<Tets<Stvk>>(Stvk{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
