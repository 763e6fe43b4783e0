#include "lilyan/material/neo_hookean_log.hpp"

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {

MaterialInfo neo_hookean_log() {
  return {.name = "neo-hookean-log",
          .summary = "neo-Hookean with ln²J as volume term; infinite energy at inversion",
          .citation = "Bonet, Wood 1997",
          .use =
              "as neo-hookean, with more resistance to extreme compression and less to extreme "
              "expansion",
          .parameters = neo_hookean_parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = neo_hookean_lame(given);
            return std::make_unique<Tets<NeoHookeanLog>>(NeoHookeanLog{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
