// Explicit (forward) Euler: the classical example of what not to use.
//
// Stern, Desbrun: Discrete Geometric Mechanics for Variational Time Integrators, 2006, section 2.
//
//   x₁ = x₀ + h v₀,   v₁ = v₀ + h a(0)                                                          (1)
//
// Both from the start of the step: one explicit stage with target h v₀. On an oscillator of
// frequency ω every step multiplies the energy by 1 + h²ω².
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method explicit_euler() {
  return {.name = "explicit-euler",
          .aliases = {"forward-euler"},
          .summary = "first order; gains energy at every step, for comparison only",
          .citation = "Stern, Desbrun 2006",
          .use = "never, except to show why",
          .parameters = {},
          .make = [](const Parameters&) {
            const Stage stage{.target = {{.point = 0, .velocity = 1}},
                              .velocity = {{.point = 0, .velocity = 1, .force = 1}},
                              .force_velocity = ForceVelocity::own};
            return Scheme{.label = "explicit-euler",
                          .solve = SolveKind::explicit_,
                          .claims = {.order = 1, .energy = EnergyBehaviour::none},
                          .table = MinimisationTable{.stages = {stage}},
                          .lagrangian = runge_kutta_table({0}, {1}, {0})};
          }};
}

}  // namespace lilyan::method
