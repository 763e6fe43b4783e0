// Optimised explicit splitting methods of order 4 and 6.
//
// Blanes, Moan: Practical symplectic partitioned Runge–Kutta and Runge–Kutta–Nyström methods,
// J. Comput. Appl. Math. 142, 2002: their S₆ and S₁₀. Drifts a₁ … and kicks b₁ … alternate,
//
//   a₁ b₁ a₂ b₂ … b₂ a₂ b₁ a₁,                                                                  (1)
//
// symmetric, with the middle coefficient such that each kind sums to one. The digits were completed
// by Newton's method on the order conditions. Per evaluation of the force they are many times more
// accurate than compositions of Störmer–Verlet.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

ExplicitTable blanes_moan_table(int order) {
  const auto first = ExplicitTable::Stage::Kind::drift;
  switch (order) {
    case 4:
      return symmetric_splitting(
          first, {0.07920369643119566943366, 0.3531729060497739884811, -0.04206508035771953536811},
          {0.2095151066133620212741, -0.1438517731798180082751}, MiddleOf::outer);
    case 6:
      return symmetric_splitting(
          first,
          {0.05026276440039268602128, 0.4135143004283438150626, 0.04507988979439806296897,
           -0.1880548538195689147987, 0.5419606784507801348312},
          {0.148816447901043231921, -0.132385865767783647449, 0.06730760469218445815017,
           0.4326664025781735975278},
          MiddleOf::outer);
    default: throw ParameterError("order", fmt::format("order must be 4 or 6, not {}", order));
  }
}

}  // namespace

Method blanes_moan() {
  return {.name = "blanes-moan",
          .aliases = {},
          .summary = "explicit, symplectic, order 4 or 6 with small errors",
          .citation = "Blanes, Moan 2002",
          .use = "orbits and molecules: the most accurate explicit long runs",
          .parameters = {{"order", "4 or 6: 6 or 10 evaluations of the force", 4.0}},
          .variants = {{{"order", 6.0}}},
          .make = [](const Parameters& given) {
            const int order = given.whole("order");
            return Scheme{.label = fmt::format("blanes-moan {}", order),
                          .solve = SolveKind::explicit_,
                          .claims = {.order = order,
                                     .symplectic = true,
                                     .symmetric = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true,
                                     // Kicks and drifts no longer commute as the conditions assume
                                     // when forces depend on velocities.
                                     .forced_order = 2},
                          .table = blanes_moan_table(order)};
          }};
}

}  // namespace lilyan::method
