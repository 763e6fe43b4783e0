// The energy–momentum method: energy, linear and angular momentum conserved, all three exactly, whether a body is
// as soft as the papers' or as stiff as steel.
//
// Simo, Tarnow: The discrete energy-momentum method. Conserving algorithms for nonlinear
// elastodynamics, ZAMP 43, 1992; Gonzalez: Exact energy and momentum conserving algorithms for general models
// in nonlinear elasticity, CMAME 190, 2000. AVF: Quispel, McLaren 2008; Rojas, Liu, Kavan.
//
//   M (d − h v₀) + ½h² ḡ = f,   v₁ = 2d/h − v₀                                                    (1)
// with ḡ a mean of ∇E over the step that does the work E₁ − E₀ along d, and no torque about the middle of the
// step, or together with a force f that does no work and takes this torque away. Both means are symmetric in time:
//   stiff bodies, which sound crosses within about a step: the mean stress over the strain,
//     P̄ = F½ S̄,   F½ = ½(F₀+F₁),   ½ S̄ : (C₁ − C₀) = ψ₁ − ψ₀                                      (2)
//     (assemble/tet_discrete_kernel.hpp);
//   soft bodies, and contact between bodies: AVF's mean over the path (avf.cpp), whose torque is of third order
//     in h, and f.
// Symbols: F deformation gradient, C = FᵀF, S second Piola–Kirchhoff stress, ψ energy density.
//
// (2) has no potential. How (1) is solved all the same, by symmetric matrices, is in
// step/momentum_solve.hpp.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method energy_momentum() {
  return {
      .name = "energy-momentum",
      .aliases = {"avf-momentum", "avfm", "simo-tarnow"},
      .summary =
          "second order; conserves energy, linear and angular momentum at any step size and any "
          "stiffness",
      .citation = "Simo, Tarnow 1992; Gonzalez 2000; Lilyan (the solve, and soft bodies)",
      .use = "bodies that fly, turn or hang, soft or stiff: the one to begin with",
      .parameters = mean_parameters(),
      .variants = {{{"points", 2.0}}, {{"points", 3.0}}, {{"quadrature", "simpson"}}},
      .make = [](const Parameters& given) {
        const auto [q, adaptive] = mean_rule(given);
        if (q.degree < 3) {
          throw ParameterError(
              given.has("points") ? "points" : "quadrature",
              "energy-momentum needs a quadrature that is exact for cubic forces: two "
              "Gauss points, simpson or better");
        }
        OneStage stage{.nodes = {}, .displacement = 2, .velocity = -1};
        for (const Node& n : q.nodes) stage.nodes.push_back({n.theta, n.weight / 2});
        MinimisationTable table = one_stage(stage);
        table.averages_force = true;
        table.adaptive_nodes = adaptive;
        table.keeps_angular_momentum = true;
        // Coordinates that are not points in space have no torque: plain AVF.
        LagrangianTable general = average_table(q.nodes);
        general.adaptive_nodes = adaptive;
        return Scheme{.label = fmt::format("energy-momentum({})", adaptive ? "auto" : q.label),
                      .solve = SolveKind::root,
                      .claims = {.order = 2,
                                 .symmetric = true,
                                 .energy = EnergyBehaviour::exact,
                                 .angular_momentum = true},
                      .table = table,
                      .lagrangian = general};
      }};
}

}  // namespace lilyan::method
