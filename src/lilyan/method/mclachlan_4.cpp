// McLachlan and Atela's optimal explicit method of order 4 with four evaluations of the force.
//
// McLachlan, Atela: The accuracy of symplectic integrators, Nonlinearity 5, 1992; the order-4
// method of SUNDIALS' SPRKStep (ARKODE_SPRK_MCLACHLAN_4_4). Kicks b₁ … b₄ and drifts a₁ … a₄
// alternate,
//
//   b₁ a₁ b₂ a₂ b₃ a₃ b₄ a₄.                                                                    (1)
//
// Not symmetric: the fewest evaluations that reach order 4 together with the smallest error, at the
// price that a step back does not return to the start.
#include <array>

#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method mclachlan_4() {
  using Stage = ExplicitTable::Stage;
  return {.name = "mclachlan-4",
          .aliases = {"mclachlan-atela"},
          .summary = "explicit, symplectic, order 4 with four evaluations, not symmetric",
          .citation = "McLachlan, Atela 1992",
          .use = "order 4 at the lowest cost per step",
          .parameters = {},
          .make = [](const Parameters&) {
            constexpr std::array kicks{0.1344961992774310892, -0.2248198030794208058,
                                       0.7563200005156682911, 0.3340036032863214255};
            constexpr std::array drifts{0.5153528374311229364, -0.085782019412973646,
                                        0.4415830236164665242, 0.1288461583653841854};
            ExplicitTable table;
            for (std::size_t i = 0; i < kicks.size(); ++i) {  // (1)
              table.stages.push_back({Stage::Kind::kick, kicks[i]});
              table.stages.push_back({Stage::Kind::drift, drifts[i]});
            }
            return Scheme{.label = "mclachlan-4",
                          .solve = SolveKind::explicit_,
                          .claims = {.order = 4,
                                     .symplectic = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true,
                                     .forced_order = 1},
                          .table = table};
          }};
}

}  // namespace lilyan::method
