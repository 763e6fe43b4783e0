// Bathe's composite method: the trapezoidal rule over the first half of the step, then the
// three-point backward Euler formula (BDF2) over the whole.
//
// Bathe: Conserving energy and momentum in nonlinear dynamics: a simple implicit time integration
// scheme, Computers & Structures 85, 2007. With s the middle of the step,
//
//   x_s = x₀ + (h/4)(v₀+v_s),   v_s = v₀ + (h/4)(a₀+a_s)                                        (1)
//   h v₁ = x₀ − 4 x_s + 3 x₁,   h a₁ = v₀ − 4 v_s + 3 v₁                                        (2)
//
// In displacements from x₀:
//   d_s = (h/2) v₀ + (h²/16)(a₀ + a_s),   v_s = 4 d_s/h − v₀                                    (3)
//   v₁ = (3d − 4d_s)/h,   d = (4/3) d_s + (h/9)(4 v_s − v₀) + (h²/9) a₁                         (4)
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method bathe() {
  return {
      .name = "bathe",
      .aliases = {},
      .summary = "second order, two stages; stable at large steps, damps the fast motions",
      .citation = "Bathe 2007",
      .use = "stiff structures at large steps where fast vibrations are noise and slow ones matter",
      .parameters = {},
      .make = [](const Parameters&) {
        const Stage trapezoid{.time = 0.5,
                              .target = {{.point = 0, .velocity = 0.5, .force = 1.0 / 16}},  // (3)
                              .nodes = {{1, 1.0 / 16}},
                              .displacement = 4,
                              .velocity = {{.point = 0, .velocity = -1}},
                              .force_velocity = ForceVelocity::own};
        const Stage euler{.target = {{.point = 1, .position = 4.0 / 3, .velocity = 4.0 / 9},
                                     {.point = 0, .velocity = -1.0 / 9}},  // (4)
                          .nodes = {{1, 1.0 / 9}},
                          .displacement = 3,
                          .velocity = {{.point = 1, .position = -4}},
                          .force_velocity = ForceVelocity::own};
        const double third = 1.0 / 3;
        return Scheme{
            .label = "bathe",
            .solve = SolveKind::minimisation,
            .claims = {.order = 2, .energy = EnergyBehaviour::none},
            .table = MinimisationTable{.stages = {trapezoid, euler}},
            .lagrangian = runge_kutta_table({0, 0, 0, 1.0 / 4, 1.0 / 4, 0, third, third, third},
                                            {third, third, third}, {0, 0.5, 1})};
      }};
}

}  // namespace lilyan::method
