// Symplectic Euler, variant B: kick, then drift. The same as HP(0).
//
// Stern, Desbrun: Discrete Geometric Mechanics for Variational Time Integrators, 2006; Kharevych et
// al. 2006, α = 0.
//
//   v₁ = v₀ − h M⁻¹∇E(x₀),   x₁ = x₀ + h v₁                                                     (1)
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method symplectic_euler_b() {
  using Stage = ExplicitTable::Stage;
  return {.name = "symplectic-euler-b",
          .aliases = {"symplectic-euler", "hp0"},
          .summary = "explicit, first order, symplectic: kick then drift",
          .citation = "Stern, Desbrun 2006",
          .use = "the cheapest symplectic step; games",
          .parameters = {},
          .make = [](const Parameters&) {
            return Scheme{.label = "symplectic-euler-b",
                          .solve = SolveKind::explicit_,
                          .claims = {.order = 1,
                                     .symplectic = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true},
                          .table = ExplicitTable{{{Stage::Kind::kick, 1}, {Stage::Kind::drift, 1}}},
                          .lagrangian = variational_table({{0, 1}})};
          }};
}

}  // namespace lilyan::method
