// Stepping a system with a method.
//
//   System system = ...;
//   State state{.x = positions, .v = velocities};
//   auto integrator = make_integrator(system, make_scheme("avf"), {});
//   StepReport report = integrator->step(state, 1.0 / 30);
//   if (!succeeded(report.status)) ...           // state is unchanged
#pragma once

#include <memory>

#include "lilyan/method/method.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

// The system must outlive the integrator and not change.
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(const System& system,
                                                          const Scheme& scheme,
                                                          const SolverOptions& options);

}  // namespace lilyan
