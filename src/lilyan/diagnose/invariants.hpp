// Energies and momenta of a state.
#pragma once

#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// From given potential energies, which the caller usually has at hand already.
[[nodiscard]] Invariants invariants(const System& system, const Vector& x, const Vector& v,
                                    const EnergyByKind& potential);
// Evaluates the potentials as well.
[[nodiscard]] Invariants invariants(const System& system, const State& state);

}  // namespace lilyan
