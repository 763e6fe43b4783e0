#include "lilyan/material/stvk_compression.hpp"

#include <cmath>

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {
namespace {

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = lame_parameters();
  all.push_back({"compression",
                 "pressure κ with which a flattened element resists, ≥ 0; default: the bulk "
                 "modulus λ + 2μ/3",
                 {}});
  return all;
}

}  // namespace

MaterialInfo stvk_compression() {
  return {.name = "stvk-compression",
          .summary = "St. Venant–Kirchhoff that resists compression; polynomial",
          .citation = "with (κ/4)(J − 1)⁴; see Irving, Teran, Fedkiw 2004",
          .use = "where stvk collapses; AVF is exact with six points",
          .inverts = true,
          .degree = 12,
          .parameters = parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = lame(given);
            double compression = lambda + 2 * mu / 3;
            if (given.has("compression")) {
              compression = given.number("compression");
              if (!(compression >= 0) || !std::isfinite(compression)) {
                throw ParameterError("compression", "compression must not be negative");
              }
            }
            return std::make_unique<Tets<StvkCompression>>(StvkCompression{mu, lambda, compression},
                                                           shape);
          }};
}

}  // namespace lilyan::material
