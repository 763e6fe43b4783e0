// Optimised explicit splitting methods of order 4 and 6 that use that the kinetic energy is
// quadratic (Runge–Kutta–Nyström methods).
//
// Blanes, Moan: Practical symplectic partitioned Runge–Kutta and Runge–Kutta–Nyström methods,
// J. Comput. Appl. Math. 142, 2002: their SRKN₆ᵇ, SRKN₁₁ᵇ and SRKN₁₄ᵃ. Kicks b₁ … and drifts a₁ …
// alternate,
//
//   b₁ a₁ b₂ a₂ … a₂ b₂ a₁ b₁   or, for 14,   a₁ b₁ a₂ b₂ … b₂ a₂ b₁ a₁,                        (1)
//
// symmetric, each kind sums to one. With ½vᵀMv the commutator [V,[V,[V,T]]] vanishes, which leaves
// fewer conditions and more freedom to make the errors small than the methods of blanes_moan.cpp
// have.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

// The coefficients of (1).
ExplicitTable nystroem_table(int evaluations) {
  using Kind = ExplicitTable::Stage::Kind;
  switch (evaluations) {
    case 6:
      return symmetric_splitting(Kind::kick,
                                 {0.0829844064174052, 0.396309801498368, -0.0390563049223486},
                                 {0.245298957184271, 0.604872665711080}, MiddleOf::outer);
    case 11:
      return symmetric_splitting(Kind::kick,
                                 {0.0414649985182624, 0.198128671918067, -0.0400061921041533,
                                  0.0752539843015807, -0.0115113874206879},
                                 {0.123229775946271, 0.290553797799558, -0.127049212625417,
                                  -0.246331761062075, 0.357208872795928},
                                 MiddleOf::inner);
    default:
      return symmetric_splitting(
          Kind::drift,
          {0.0378593198406116, 0.102635633102435, -0.0258678882665587, 0.314241403071447,
           -0.130144459517415, 0.106417700369543, -0.00879424312851058},
          {0.09171915262446165, 0.183983170005006, -0.05653436583288827, 0.004914688774712854,
           0.143761127168358, 0.328567693746804},
          MiddleOf::outer);
  }
}

}  // namespace

Method blanes_moan_nystroem() {
  return {.name = "blanes-moan-nystroem",
          .aliases = {"srkn"},
          .summary = "explicit, symplectic, order 4 or 6 with very small errors",
          .citation = "Blanes, Moan 2002",
          .use = "orbits and chains: the least work at errors between 1e-3 and 1e-10",
          .parameters = {{"evaluations", "of the force per step: 6 (order 4), 11 or 14 (order 6)",
                          6.0}},
          // Not 14: its errors of order 6 are so small that higher ones hide them down to rounding,
          // and only the order conditions show them.
          .variants = {{{"evaluations", 11.0}}},
          .make = [](const Parameters& given) {
            const int evaluations = given.whole("evaluations");
            if (evaluations != 6 && evaluations != 11 && evaluations != 14) {
              throw ParameterError("evaluations", fmt::format("evaluations must be 6, 11 or 14, "
                                                              "not {}",
                                                              evaluations));
            }
            return Scheme{.label = fmt::format("blanes-moan-nystroem {}", evaluations),
                          .solve = SolveKind::explicit_,
                          .claims = {.order = evaluations == 6 ? 4 : 6,
                                     .symplectic = true,
                                     .symmetric = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true,
                                     // As for blanes-moan.
                                     .forced_order = 2},
                          .table = nystroem_table(evaluations)};
          }};
}

}  // namespace lilyan::method
