// Where the energy of a step went, from what acted in it.
#pragma once

#include "lilyan/conservation/step_report.hpp"

namespace lilyan {

// With w = ½(v₀+v₁), kinetic energy changes by w·M (v₁ − v₀). The impulses that this momentum is a sum of have each
// its share of it. All numbers are energies; what a step does not have is zero.
struct StepAccount {
  double residual = 0;   // w·R: what the solver left of the equations
  double potential = 0;  // w·P: of the forces of potentials, and of constraints
  // Of external forces and of dissipation, along the velocities that they see, which need not be w; and what the
  // difference makes.
  double force = 0;
  double dissipation = 0;
  double beside = 0;
  double driven = 0;      // the part of dissipation that moving obstacles do
  double prescribed = 0;  // done by prescribed vertices against the potentials
  // Whether w·P + E₁ − E₀ should vanish because the step averages forces: it is then an error of quadrature,
  // and otherwise the method's own doing.
  bool averages_force = false;
};

// The terms add up to the change of kinetic energy and `potential_change`, that of potential energy.
[[nodiscard]] inline Ledger ledger_of(const StepAccount& account, double potential_change) {
  Ledger ledger{.solver = account.residual,
                .work = account.force + account.prescribed + account.driven,
                .dissipation = account.dissipation - account.driven,
                .method = account.beside};
  (account.averages_force ? ledger.quadrature : ledger.method) +=
      account.potential + potential_change - account.prescribed;
  return ledger;
}

[[nodiscard]] inline double potential_change(const Invariants& before, const Invariants& after) {
  double change = 0;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) change += after.potential[k] - before.potential[k];
  return change;
}
[[nodiscard]] inline Ledger ledger_of(const StepAccount& account, const StepReport& report) {
  return ledger_of(account, potential_change(report.before, report.after));
}

}  // namespace lilyan
