// Gonzalez's midpoint discrete gradient of the whole potential: exact energy as a root find.
//
// Gonzalez: Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6, 1996.
//
//   x₁ = x₀ + h (v₀+v₁)/2,   M (v₁ − v₀) = −h ∇̄E                                                (1)
//   ∇̄E = ∇E(x½) + [(E₁ − E₀ − ∇E(x½)·d)/|d|²] d,   x½ = x₀ + d/2                                (2)
//
// The midpoint rule with a correction along d that makes ∇̄E·d = E₁ − E₀. It needs nothing of an
// energy but its values and gradients, and is here for comparison: the correction of one element's
// error pushes every moving vertex, so that neither linear nor angular momentum is conserved
// (applied to each element in C = FᵀF it conserves both: energy-momentum), and like every root find
// it can fail where the AVF minimiser does not. Its start is that of the literature, d = h v₀.
//
// In one dimension (2) is the difference quotient, the same as the average force, and the method is
// AVF.
#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method discrete_gradient() {
  return {
      .name = "discrete-gradient",
      .aliases = {"gonzalez"},
      .summary = "second order; conserves energy at any step size but not momentum, as a root find",
      .citation = "Gonzalez 1996",
      .use = "comparison; energy-momentum keeps more",
      .parameters = {{"predictor",
                      "where the root find starts: constant (velocity) or avf (the minimiser "
                      "of the AVF step)",
                      std::string("constant"), true}},
      .variants = {{{"predictor", "avf"}}},
      .make = [](const Parameters& given) {
        const DiscreteGradientTable table{.predictor = predictor_named(given.word("predictor"))};
        const bool by_default = table.predictor == DiscreteGradientTable::Predictor::constant;
        return Scheme{
            .label = by_default ? "discrete-gradient" : "discrete-gradient(predictor=avf)",
            .solve = SolveKind::root,
            .claims = {.order = 2,
                       .symmetric = true,
                       .energy = EnergyBehaviour::exact,
                       .linear_momentum = false,
                       .angular_momentum = false},
            .table = table};
      }};
}

}  // namespace lilyan::method
