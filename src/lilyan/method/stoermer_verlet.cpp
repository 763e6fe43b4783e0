// Störmer–Verlet (leapfrog, velocity Verlet): half a kick, a drift, half a kick.
//
// Hairer, Lubich, Wanner: Geometric numerical integration illustrated by the Störmer–Verlet method,
// Acta Numerica 2003. Variational: HP with the trapezoidal rule.
//
//   v_½ = v₀ − (h/2) M⁻¹∇E(x₀),   x₁ = x₀ + h v_½,   v₁ = v_½ − (h/2) M⁻¹∇E(x₁)                 (1)
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method stoermer_verlet() {
  using Stage = ExplicitTable::Stage;
  return {.name = "stoermer-verlet",
          .aliases = {"verlet", "leapfrog"},
          .summary = "explicit, second order, symplectic and symmetric",
          .citation = "Hairer, Lubich, Wanner 2003",
          .use = "the explicit workhorse: long runs while the step is below the stability limit",
          .parameters = {},
          .make = [](const Parameters&) {
            return Scheme{.label = "stoermer-verlet",
                          .solve = SolveKind::explicit_,
                          .claims = {.order = 2,
                                     .symplectic = true,
                                     .symmetric = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true},
                          .table = ExplicitTable{{{Stage::Kind::kick, 0.5},
                                                  {Stage::Kind::drift, 1},
                                                  {Stage::Kind::kick, 0.5}}},
                          .lagrangian = variational_table({{0, 0.5}, {1, 0.5}})};
          }};
}

}  // namespace lilyan::method
