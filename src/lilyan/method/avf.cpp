// Average vector field (AVF): exact energy conservation as a minimisation.
//
// Rojas, Liu, Kavan: Average Vector Field Integration for St. Venant-Kirchhoff Deformable Models.
// The method: Quispel, McLaren: A new class of energy-preserving numerical integration methods,
// J. Phys. A 41, 2008.
//
//   x₁ = x₀ + h (v₀+v₁)/2                                                                       (7)
//   v₁ = v₀ + h ∫₀¹ a(θ) dθ  ≈  v₀ + h Σ bᵢ a(cᵢ)                                               (8)
//
// so that  d = h v₀ + ½h² Σ bᵢ a(cᵢ):  nodes (cᵢ, bᵢ/2), and v₁ = 2u − v₀. Energy changes by
// E₁ − E₀ − Σ bᵢ ∇E(xᵢ)·d, which vanishes when the quadrature integrates the force exactly along
// the path: degree 3 for St. Venant–Kirchhoff, so Simpson (the paper's choice) or two Gauss points.
//
// `auto`, the default, takes as many Gauss points as are exact for the system's forces. Where these are not
// polynomials, it takes as many as each step needs for that error to be below solver.energy_tolerance.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

// With one point or the trapezoidal rule AVF is one of two old methods, with its properties:
// implicit midpoint, and Newmark's with β = ¼, γ = ½.
Claims claims(const Quadrature& q) {
  const bool midpoint = q.nodes.size() == 1;
  return {.order = 2,
          .symplectic = midpoint,
          .symmetric = true,
          .energy = q.degree >= 3 ? EnergyBehaviour::exact : EnergyBehaviour::bounded,
          .angular_momentum = midpoint};
}

}  // namespace

Method avf() {
  return {
      .name = "avf",
      .aliases = {"average-vector-field"},
      .summary =
          "second order; conserves energy at any step size, exactly where its quadrature is exact",
      .citation = "Rojas, Liu, Kavan; Quispel, McLaren 2008",
      .use = "soft bodies at large steps that must neither gain nor lose energy",
      .parameters = mean_parameters(),
      .variants = {{{"points", 1.0}},
                   {{"points", 2.0}},
                   {{"points", 3.0}},
                   {{"quadrature", "simpson"}},
                   {{"quadrature", "trapezoid"}},
                   {{"quadrature", "lobatto"}, {"points", 4.0}}},
      .make = [](const Parameters& given) {
        const auto [q, adaptive] = mean_rule(given);
        OneStage stage{.nodes = {}, .displacement = 2, .velocity = -1};
        for (const Node& n : q.nodes) stage.nodes.push_back({n.theta, n.weight / 2});
        MinimisationTable table = one_stage(stage);
        table.averages_force = true;
        table.adaptive_nodes = adaptive;
        LagrangianTable general = average_table(q.nodes);
        general.adaptive_nodes = adaptive;
        return Scheme{.label = fmt::format("avf({})", adaptive ? "auto" : q.label),
                      .solve = SolveKind::minimisation,
                      .claims = claims(q),
                      .table = table,
                      .lagrangian = general};
      }};
}

}  // namespace lilyan::method
