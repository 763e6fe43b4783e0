// AVF with an energy-neutral torque: energy, linear and angular momentum kept, all three exactly.
//
// AVF (avf.cpp) keeps the energy and the linear momentum, but its mean force has a small torque about
// the middle of the step, of third order in h. Each body gets one more force f, which takes this torque
// away and does no work:
//   M (d − h v₀) + ½h² ∇̄E = f,   v₁ = 2u − v₀                                                   (1)
//   f = M (ω×r) − c M w,   J ω = T = ½h² Σ r×∇̄E,   c = (M (ω×r))·d / ‖w‖²_M                     (2)
// Symbols: ∇̄E mean of ∇E over the path; r mid-step positions about the mid-step centre of mass; J the
// inertia there; w the part of d that is M-orthogonal to rigid motions.
//
// Then Σ f = 0, f·d = 0 and Σ r×f = T. f is of third order, so the order stays two; it is a function of
// the middle of the step, so the step stays symmetric. (1) is solved from AVF's minimiser on, with the
// matrix at hand. Where that does not succeed, AVF's own step is taken and its end velocity projected
// onto the momenta and the energy that are due (integrate/step/torque_correction.hpp).
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method avf_momentum() {
  return {.name = "avf-momentum",
          .aliases = {"avfm"},
          .summary =
              "second order; conserves energy, linear and angular momentum at any step size, from "
              "AVF's "
              "minimiser",
          .citation = "Lilyan; AVF: Rojas, Liu, Kavan; Quispel, McLaren 2008",
          .use = "free soft bodies at large steps: the one to begin with",
          .parameters = mean_parameters(),
          .variants = {{{"points", 2.0}}, {{"points", 3.0}}, {{"quadrature", "simpson"}}},
          .make = [](const Parameters& given) {
            const auto [q, adaptive] = mean_rule(given);
            if (q.degree < 3) {
              throw ParameterError(
                  given.has("points") ? "points" : "quadrature",
                  "avf-momentum needs a quadrature that is exact for cubic forces: two "
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
            return Scheme{.label = fmt::format("avf-momentum({})", adaptive ? "auto" : q.label),
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
