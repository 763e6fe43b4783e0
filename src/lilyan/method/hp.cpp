// Hamilton–Pontryagin integrators with one quadrature point, HP(α).
//
// Kharevych, Yang, Tong, Kanso, Marsden, Schröder, Desbrun: Geometric, Variational Integrators for
// Computer Animation, SCA 2006. With the discrete Lagrangian L_d = h [½uᵀMu − E(x₀ + α h u)]
// (their eq 3), their eqs (4)–(6) read
//
//   x₁ = x₀ + h u                                                                               (4)
//   p₁ = p₀ + h M a(α)                                                                          (5)
//   p₁ = M u + α h M a(α)                                                                       (6)
//
// Eliminating p₁:  d = h v₀ + (1−α) h² a(α), the minimiser of their Lilyan function (10): one node
// (α, 1−α). From (5) and (6), v₁ = M⁻¹p₁ = u + α/(1−α) (u − v₀). At α = 0 and α = 1 nothing is left
// to solve: a kick before, or after, the drift.
//
// On a linear oscillator of frequency ω the step is stable for hω ≤ 2/|1−2α| (the trace of the step
// matrix is 2 − h²ω²/(1 + α(1−α)h²ω²)): only α = ½ is stable at any step.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

Table hp_table(double alpha) {
  using Stage = ExplicitTable::Stage;
  if (alpha == 0) return ExplicitTable{{{Stage::Kind::kick, 1}, {Stage::Kind::drift, 1}}};
  if (alpha == 1) return ExplicitTable{{{Stage::Kind::drift, 1}, {Stage::Kind::kick, 1}}};
  return one_stage({.nodes = {{alpha, 1 - alpha}},
                    .displacement = 1 / (1 - alpha),
                    .velocity = -alpha / (1 - alpha)});
}

}  // namespace

Method hp() {
  return {.name = "hp",
          .aliases = {"hamilton-pontryagin"},
          .summary =
              "variational, symplectic for every alpha; second order and unconditionally stable "
              "(linearly) at 1/2",
          .citation = "Kharevych et al. 2006",
          .use = "variational steps with a chosen balance; alpha = 1/2 unless there is a reason",
          .parameters = {{"alpha", "quadrature point α in [0, 1]; 0 and 1 are explicit", 0.5}},
          .variants = {{{"alpha", 0.0}}, {{"alpha", 0.25}}, {{"alpha", 0.75}}, {{"alpha", 1.0}}},
          .make = [](const Parameters& given) {
            double alpha = given.number("alpha");
            if (!(alpha >= 0 && alpha <= 1)) {
              throw ParameterError("alpha", fmt::format("alpha must be in [0, 1], not {}", alpha));
            }
            // So near the limits the solve would divide by next to nothing.
            if (alpha < 1e-12) alpha = 0;
            if (1 - alpha < 1e-12) alpha = 1;
            return Scheme{.label = fmt::format("hp(alpha={})", alpha),
                          .solve = (alpha == 0 || alpha == 1) ? SolveKind::explicit_
                                                              : SolveKind::minimisation,
                          .claims = {.order = alpha == 0.5 ? 2 : 1,
                                     .symplectic = true,
                                     .symmetric = alpha == 0.5,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true,
                                     .stiff = alpha == 0.5},
                          .table = hp_table(alpha),
                          .lagrangian = variational_table({{alpha, 1}})};
          }};
}

}  // namespace lilyan::method
