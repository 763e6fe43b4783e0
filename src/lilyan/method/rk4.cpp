// The classical Runge–Kutta method of order four.
//
// Kutta: Beitrag zur näherungsweisen Integration totaler Differentialgleichungen, 1901.
//
// With (xₖ, vₖ) the points of its stages and aₖ the acceleration there,
//   x₁ = x₀ + ½h v₀,   v₁ = v₀ + ½h a₀                                                          (1)
//   x₂ = x₀ + ½h v₁,   v₂ = v₀ + ½h a₁                                                          (2)
//   x₃ = x₀ + h v₂,    v₃ = v₀ + h a₂                                                           (3)
//   x₄ = x₀ + (h/6)(v₀ + 2v₁ + 2v₂ + v₃),   v₄ = v₀ + (h/6)(a₀ + 2a₁ + 2a₂ + a₃)                (4)
// the last of which is the end of the step. Accurate over short times; its energy drifts.
#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

Stage euler_stage(double time, int from) {
  Stage stage{.time = time,
              .target = {{.point = from, .velocity = time}},
              .velocity = {{.point = 0, .velocity = 1}},
              .force_velocity = ForceVelocity::own};
  if (from == 0) {
    stage.velocity[0].force = time;
  } else {
    stage.velocity.push_back({.point = from, .force = time});
  }
  return stage;
}

}  // namespace

Method rk4() {
  return {.name = "rk4",
          .aliases = {"runge-kutta-4"},
          .summary = "explicit, fourth order; keeps nothing, so long runs drift",
          .citation = "Kutta 1901",
          .use = "short, accurate runs of smooth motion; references",
          .parameters = {},
          .make = [](const Parameters&) {
            Stage end{.target = {{.point = 0, .velocity = 1.0 / 6}},
                      .velocity = {{.point = 0, .velocity = 1, .force = 1.0 / 6}},
                      .force_velocity = ForceVelocity::own};
            for (const int k : {1, 2, 3}) {
              const double weight = k == 3 ? 1.0 / 6 : 2.0 / 6;
              end.target.push_back({.point = k, .velocity = weight});
              end.velocity.push_back({.point = k, .force = weight});
            }
            return Scheme{
                .label = "rk4",
                .solve = SolveKind::explicit_,
                .claims = {.order = 4, .energy = EnergyBehaviour::none},
                .table = MinimisationTable{.stages = {euler_stage(0.5, 0), euler_stage(0.5, 1),
                                                      euler_stage(1, 2), end}},
                .lagrangian =
                    runge_kutta_table({0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                                      {1.0 / 6, 2.0 / 6, 2.0 / 6, 1.0 / 6}, {0, 0.5, 0.5, 1})};
          }};
}

}  // namespace lilyan::method
