#include "lilyan/material/stable_neo_hookean.hpp"

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {
namespace {

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = neo_hookean_parameters();
  for (ParameterSpec& p : all) {
    if (p.name == "lambda") p.meaning = "Lamé's first constant λ, ≥ 0";
    if (p.name == "poisson") p.meaning = "Poisson's ratio ν, in [0, 0.5)";
    if (p.name == "b1") p.meaning = "λ/2, ≥ 0";
  }
  return all;
}

}  // namespace

MaterialInfo stable_neo_hookean() {
  return {.name = "stable-neo-hookean",
          .summary = "neo-Hookean without a logarithm; polynomial, finite at inversion",
          .citation = "Smith, de Goes, Kim 2018",
          .use =
              "violent motion that may invert elements, and poisson near 0.5; AVF is exact with "
              "three points",
          .inverts = true,
          .degree = 6,
          .parameters = parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            const auto [mu, lambda] = neo_hookean_lame(given);
            if (lambda < 0) {
              throw ParameterError("",
                                   "stable-neo-hookean needs lambda, b1 or poisson not to be "
                                   "negative, or collapsed elements have less energy than at rest");
            }
            return std::make_unique<Tets<StableNeoHookean>>(StableNeoHookean{mu, lambda}, shape);
          }};
}

}  // namespace lilyan::material
