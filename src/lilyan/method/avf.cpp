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
#include <fmt/format.h>

#include "lilyan/method/method.hpp"
#include "lilyan/method/quadrature.hpp"

namespace lilyan::method {
namespace {

Quadrature rule(const std::string& name, int points) {
  if (name == "gauss") {
    if (points < 1 || points > 64) {
      throw ParameterError("points", fmt::format("points must be 1 to 64, not {}", points));
    }
    return gauss(points);
  }
  if (name == "simpson") return simpson();
  throw ParameterError("quadrature", fmt::format("unknown quadrature '{}'{}", name,
                                                 suggestion(name, {"gauss", "simpson"})));
}

}  // namespace

Method avf() {
  return {
      .name = "avf",
      .aliases = {"average-vector-field"},
      .summary =
          "second order; conserves energy at any step size, exactly where its quadrature is exact",
      .citation = "Rojas, Liu, Kavan; Quispel, McLaren 2008",
      .parameters = {{"quadrature", "gauss or simpson", std::string("gauss"), true},
                     {"points",
                      "number of Gauss points, 1 to 64; exact for potentials of "
                      "degree 2·points",
                      2.0}},
      .make = [](const Parameters& given) {
        const std::string& name = given.word("quadrature");
        const Quadrature q = rule(name, given.whole("points"));
        // One point is the implicit midpoint rule, with its properties.
        const bool midpoint = q.nodes.size() == 1;
        MinimisationTable table{.displacement = 2, .velocity = -1, .averages_force = true};
        for (const Node& n : q.nodes) table.nodes.push_back({n.theta, n.weight / 2});
        return Scheme{
            .label =
                name == "simpson" ? "avf(simpson)" : fmt::format("avf(gauss {})", q.nodes.size()),
            .solve = SolveKind::minimisation,
            .claims = {.order = 2,
                       .symplectic = midpoint,
                       .symmetric = true,
                       .energy = midpoint ? EnergyBehaviour::bounded : EnergyBehaviour::exact,
                       .angular_momentum = midpoint},
            .table = table};
      }};
}

}  // namespace lilyan::method
