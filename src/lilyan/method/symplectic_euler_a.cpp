// Symplectic Euler, variant A: drift, then kick. The same as HP(1).
//
// Stern, Desbrun: Discrete Geometric Mechanics for Variational Time Integrators, 2006; Kharevych et
// al. 2006, α = 1.
//
//   x₁ = x₀ + h v₀,   v₁ = v₀ − h M⁻¹∇E(x₁)                                                     (1)
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method symplectic_euler_a() {
  using Stage = ExplicitTable::Stage;
  return {.name = "symplectic-euler-a",
          .aliases = {"hp1"},
          .summary = "explicit, first order, symplectic: drift then kick",
          .citation = "Stern, Desbrun 2006",
          .use = "the cheapest symplectic step; teaching",
          .parameters = {},
          .make = [](const Parameters&) {
            return Scheme{.label = "symplectic-euler-a",
                          .solve = SolveKind::explicit_,
                          .claims = {.order = 1,
                                     .symplectic = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true},
                          .table = ExplicitTable{{{Stage::Kind::drift, 1}, {Stage::Kind::kick, 1}}},
                          .lagrangian = variational_table({{1, 1}})};
          }};
}

}  // namespace lilyan::method
