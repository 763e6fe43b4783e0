// Newmark's method with parameters β and γ.
//
// Newmark: A method of computation for structural dynamics, J. Eng. Mech. Div. ASCE 85, 1959.
//
//   x₁ = x₀ + h v₀ + h² [(½−β) a(0) + β a(1)]                                                   (1)
//   v₁ = v₀ + h [(1−γ) a(0) + γ a(1)]                                                           (2)
//
// Nodes (0, ½−β), (1, β). Solving (1) for a(1) and inserting it in (2) leaves only a(0):
//   v₁ = (γ/β) u + (1−γ/β) v₀ + h (1 − γ/(2β)) a(0)                                             (3)
// β = ¼, γ = ½ is the trapezoidal rule. γ > ½ damps, γ < ½ grows.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

// γ = ½ is variational for every β (Kane, Marsden, Ortiz, West 2000), symplectic in other variables
// than (x, Mv). Otherwise what decreases for γ > ½ (in linear elasticity) is H + ½h²(β −
// γ/2)‖a‖²_M, which is the energy itself only for β = γ/2.
EnergyBehaviour energy_behaviour(double beta, double gamma) {
  if (gamma == 0.5) return EnergyBehaviour::bounded;
  return gamma > 0.5 && gamma == 2 * beta ? EnergyBehaviour::dissipates : EnergyBehaviour::none;
}

}  // namespace

Method newmark() {
  return {.name = "newmark",
          .aliases = {"implicit-newmark"},
          .summary = "second order for gamma = 1/2; energy can blow up at large steps",
          .citation = "Newmark 1959",
          .use = "comparison with structural codes",
          .parameters = {{"beta", "β in (0, 1/2]", 0.25}, {"gamma", "γ in [0, 1]", 0.5}},
          .variants = {{{"beta", 0.3}, {"gamma", 0.6}},
                       {{"beta", 0.15}},
                       {{"beta", 0.5}, {"gamma", 0.6}},
                       {{"gamma", 0.45}}},
          .make = [](const Parameters& given) {
            const double beta = given.number("beta");
            const double gamma = given.number("gamma");
            if (!(beta > 0 && beta <= 0.5)) {
              throw ParameterError("beta", fmt::format("beta must be in (0, 1/2], not {} (for "
                                                       "beta = 0 use stoermer-verlet)",
                                                       beta));
            }
            if (!(gamma >= 0 && gamma <= 1)) {
              throw ParameterError("gamma", fmt::format("gamma must be in [0, 1], not {}", gamma));
            }
            OneStage stage{.nodes = {{1, beta}},
                           .displacement = gamma / beta,
                           .velocity = 1 - gamma / beta,
                           .force_velocity = ForceVelocity::own};
            if (beta != 0.5) stage.nodes.insert(stage.nodes.begin(), {0, 0.5 - beta});
            if (gamma != 2 * beta) stage.end_forces = {{0, 1 - gamma / (2 * beta)}};  // (3)
            return Scheme{.label = fmt::format("newmark(beta={}, gamma={})", beta, gamma),
                          .solve = SolveKind::minimisation,
                          .claims = {.order = gamma == 0.5 ? 2 : 1,
                                     .symmetric = gamma == 0.5,
                                     .energy = energy_behaviour(beta, gamma),
                                     .stiff = beta >= 0.5 * gamma},
                          .table = one_stage(stage)};
          }};
}

}  // namespace lilyan::method
