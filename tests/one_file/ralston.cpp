// A method that the program does not have, in one file: Ralston's explicit method of order two.
//
//   x₁ = x₀ + ⅔h v₀,   v₁ = v₀ + ⅔h a₀;   x₂ = x₀ + h (v₀ + 3v₁)/4,   v₂ = v₀ + h (a₀ + 3a₁)/4
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method ralston() {
  return {
      .name = "ralston",
      .aliases = {},
      .summary = "explicit, second order",
      .citation = "Ralston 1962",
      .use = "to show that a method is one file",
      .parameters = {},
      .variants = {},
      .make = [](const Parameters&) {
        const Stage first{.time = 2.0 / 3,
                          .target = {{.point = 0, .velocity = 2.0 / 3}},
                          .velocity = {{.point = 0, .velocity = 1, .force = 2.0 / 3}}};
        const Stage second{
            .target = {{.point = 0, .velocity = 0.25}, {.point = 1, .velocity = 0.75}},
            .velocity = {{.point = 0, .velocity = 1, .force = 0.25}, {.point = 1, .force = 0.75}}};
        return Scheme{.label = "ralston",
                      .solve = SolveKind::explicit_,
                      .claims = {.order = 2, .energy = EnergyBehaviour::none},
                      .table = MinimisationTable{.stages = {first, second}}};
      }};
}

}  // namespace lilyan::method
