// Backward (implicit) Euler, also BDF1.
//
// Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I. As a minimisation: Martin,
// Thomaszewski, Grinspun, Gross: Example-based elastic materials, SIGGRAPH 2011.
//
//   x₁ = x₀ + h v₁,   v₁ = v₀ + h a(1)                                                          (1)
//
// so that  d = h v₀ + h² a(1):  one node (θ, β) = (1, 1), and v₁ = u.
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method backward_euler() {
  return {.name = "backward-euler",
          .aliases = {"implicit-euler", "bdf1"},
          .summary = "first order; very stable because it damps the motion away",
          .citation = "Hairer, Nørsett, Wanner 1993",
          .use = "quasi-static settling, where losing the motion is welcome",
          .parameters = {},
          .make = [](const Parameters&) {
            return Scheme{
                .label = "backward-euler",
                .solve = SolveKind::minimisation,
                .claims = {.order = 1, .energy = EnergyBehaviour::dissipates},
                .table = one_stage({.nodes = {{1, 1}}, .force_velocity = ForceVelocity::own}),
                .lagrangian = runge_kutta_table({1}, {1}, {1})};
          }};
}

}  // namespace lilyan::method
