// What acted in a step in stages, from the solutions of these.
#pragma once

#include "lilyan/model/system.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/stage_solution.hpp"
#include "lilyan/step/table_plan.hpp"

namespace lilyan {

// The impulses of a step by h.
void add_up(const System& system, const TablePlan& plan, double h, StepData& data);

// But for the work of prescribed vertices. The impulses of the step add up to the change of momentum,
//   M (v₁ − v₀) = R + P + F + M (c − v₀),                                                       (1)
// R of the residuals, P of the potentials, F of all other forces; c is the velocity without any of
// them, v₀ unless the method looks at the step before. Kinetic energy changes by the product of (1)
// with w = ½(v₀+v₁), so that
//   H₁ − H₀ = w·R + [w·P + E₁ − E₀] + w·F + w·M (c − v₀).                                       (2)
// The first term is the solver's. The second should vanish: it is the quadrature error of ∇E·d for
// averaged forces (where w = u), and the method's own doing otherwise; of the change of potential
// energy, prescribed vertices take their part as work. Forces work along the velocity that they
// see, which need not be w. The difference is the method's, as is the last term.
[[nodiscard]] StepAccount account_of(const System& system, const TablePlan& plan, double h,
                                     StepData& data);

}  // namespace lilyan
