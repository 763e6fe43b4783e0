// Implicit midpoint, the same as HP(½) and as AVF with one Gauss point.
//
// Hairer, Lubich, Wanner: Geometric Numerical Integration, 2006.
//
//   x₁ = x₀ + h (v₀+v₁)/2,   v₁ = v₀ + h a(½)                                                   (1)
//
// so that  d = h v₀ + ½h² a(½):  one node (½, ½), and v₁ = 2u − v₀.
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method implicit_midpoint() {
  return {.name = "implicit-midpoint",
          .aliases = {"midpoint"},
          .summary = "second order, symplectic; energy can blow up at large steps",
          .citation = "Hairer, Lubich, Wanner 2006",
          .use = "symplectic implicit steps while the step resolves the stiff motion",
          .parameters = {},
          .make = [](const Parameters&) {
            return Scheme{
                .label = "implicit-midpoint",
                .solve = SolveKind::minimisation,
                .claims = {.order = 2,
                           .symplectic = true,
                           .symmetric = true,
                           .energy = EnergyBehaviour::bounded,
                           .angular_momentum = true},
                .table = one_stage({.nodes = {{0.5, 0.5}}, .displacement = 2, .velocity = -1}),
                .lagrangian = variational_table({{0.5, 1}})};
          }};
}

}  // namespace lilyan::method
