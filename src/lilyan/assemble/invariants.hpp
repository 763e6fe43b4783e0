// Energies and momenta of a state.
#pragma once

#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

// From given potential energies, which the caller usually has at hand already.
[[nodiscard]] Invariants invariants(const System& system, const Vector& x, const Vector& v,
                                    const EnergyByKind& potential);
// The energy of a general Lagrangian is v·∂L/∂v − L. Its potential part is −L at v = 0, its kinetic
// part the rest.
[[nodiscard]] Invariants lagrangian_invariants(const Lagrangian& lagrangian, double t,
                                               const double* q, const double* v);
// Evaluates the energies at the state. Those that depend on past steps count as they were before
// any step (model/world.hpp).
[[nodiscard]] Invariants invariants(const System& system, const State& state);

}  // namespace lilyan
