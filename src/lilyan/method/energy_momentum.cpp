// The energy–momentum method: energy, linear and angular momentum conserved, all three exactly.
//
// Simo, Tarnow: The discrete energy-momentum method. Conserving algorithms for nonlinear
// elastodynamics, ZAMP 43, 1992, for St. Venant–Kirchhoff materials.
// Gonzalez: Exact energy and momentum conserving algorithms for general models in nonlinear
// elasticity, CMAME 190, 2000, for all others.
//
//   x₁ = x₀ + h (v₀+v₁)/2                                                                       (1)
//   M (v₁ − v₀) = −h ∇̄E(x₀, x₁)                                                                 (2)
//
// with an internal force from the stress, in each element,
//   P̄ = F½ S̄,   F½ = ½(F₀+F₁),   ½ S̄ : (C₁ − C₀) = ψ₁ − ψ₀                                      (3)
// (assemble/tet_discrete_kernel.hpp). Symbols: F deformation gradient, C = FᵀF, S second
// Piola–Kirchhoff stress, ψ energy density.
//
// Eliminating v₁:  M (d − h v₀) + ½h² ∇̄E = 0, whose Jacobian is not symmetric: not a minimisation
// but a root find, which from a poor start can fail. The minimiser of the AVF step, which differs
// from the solution by the third order of h only, is a far better start than constant velocity, but
// no guarantee: in violent motion (scenes/bunny.toml) some steps must be halved with this start, and
// nearly all of them with constant velocity.
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method energy_momentum() {
  return {.name = "energy-momentum",
          .aliases = {"simo-tarnow"},
          .summary =
              "second order; conserves energy and angular momentum at any step size, as a root "
              "find",
          .citation = "Simo, Tarnow 1992; Gonzalez 2000",
          .use = "comparison; avf-momentum keeps the same, and does not fail in violent motion",
          .parameters = {{"predictor",
                          "where the root find starts: avf (the minimiser of the AVF step) or "
                          "constant (velocity)",
                          std::string("avf"), true}},
          .variants = {{{"predictor", "constant"}}},
          .make = [](const Parameters& given) {
            const DiscreteGradientTable table{
                .by_element = true, .predictor = predictor_named(given.word("predictor"))};
            const bool by_default = table.predictor == DiscreteGradientTable::Predictor::avf;
            return Scheme{
                .label = by_default ? "energy-momentum" : "energy-momentum(predictor=constant)",
                .solve = SolveKind::root,
                .claims = {.order = 2,
                           .symmetric = true,
                           .energy = EnergyBehaviour::exact,
                           .angular_momentum = true},
                .table = table};
          }};
}

}  // namespace lilyan::method
