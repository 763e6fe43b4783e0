// The backward differentiation formula of order two, with variable steps.
//
// Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section III.5.
//
// With ω = h/h₋₁ the ratio of this step to the one before, A = (1+2ω)/(1+ω) and C = ω²/(1+ω),
//   A x₁ − (1+ω) x₀ + C x₋₁ = h v₁                                                              (1)
//   A v₁ − (1+ω) v₀ + C v₋₁ = h a(x₁)                                                           (2)
// Since A − (1+ω) + C = 0, (1) is  A d + C (x₋₁−x₀) = h v₁, and with (2)
//   d = −(C/A)(x₋₁−x₀) + h [(1+ω) v₀ − C v₋₁]/A² + (h²/A²) a(x₁):                               (3)
// one node (1, 1/A²); for ω = 1, (1, 4/9). The first step, which has no step before it, is one of
// TR-BDF2.
#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

MinimisationTable bdf2_table(double w) {
  const double A = (1 + 2 * w) / (1 + w);
  const double C = w * w / (1 + w);
  const Stage stage{.target = {{.point = 0, .velocity = (1 + w) / (A * A)},  // (3)
                               {.point = -1, .position = -C / A, .velocity = -C / (A * A)}},
                    .nodes = {{1, 1 / (A * A)}},
                    .displacement = A,
                    .velocity = {{.point = -1, .position = C}},  // (1)
                    .force_velocity = ForceVelocity::own};
  return {.stages = {stage}};
}

}  // namespace

Method bdf2() {
  return {.name = "bdf2",
          .aliases = {},
          .summary = "second order, two-step; damps, but less than backward Euler",
          .citation = "Hairer, Nørsett, Wanner 1993",
          .use = "comparison with structural codes; smooth, damped motion",
          .parameters = {},
          .make = [](const Parameters&) {
            const Scheme start = make_scheme("tr-bdf2");
            return Scheme{
                .label = "bdf2",
                .solve = SolveKind::minimisation,
                .claims = {.order = 2, .energy = EnergyBehaviour::none},
                .table = MultistepTable{&bdf2_table, std::get<MinimisationTable>(start.table)}};
          }};
}

}  // namespace lilyan::method
