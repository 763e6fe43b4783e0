// Stepping a system with a method.
//
//   System system = ...;
//   State state{.x = positions, .v = velocities};
//   auto integrator = make_integrator(system, make_scheme("avf"), {});
//   StepReport report = integrator->step(state, 1.0 / 30);
//   if (!succeeded(report.status)) ...           // state is unchanged
#pragma once

#include <memory>
#include <string>

#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

struct SolverOptions {
  // A step is solved when the energy error caused by the solver is below energy_tolerance times
  // the step's energy scale (the largest of its kinetic and elastic energies), and the velocity
  // error below velocity_tolerance in the same relative sense.
  double energy_tolerance = 1e-14;
  double velocity_tolerance = 1e-13;
  NewtonOptions newton;
};

class Integrator {
 public:
  Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  virtual ~Integrator() = default;

  // Advances the state by h (negative: backwards). When the report's status is not a success x, v
  // and t are as they were (the step before may be forgotten).
  virtual StepReport step(State& state, double h) = 0;

  // To be called when the system has changed since the last step: nothing is kept of it.
  virtual void forget() {}

  // Name of the linear solver, empty for explicit methods; and where the time went.
  [[nodiscard]] virtual std::string_view linear_solver() const { return {}; }
  [[nodiscard]] virtual NewtonTimes times() const { return {}; }
};

// The system must outlive the integrator and not change.
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(const System& system,
                                                          const Scheme& scheme,
                                                          const SolverOptions& options);

// Why the method cannot step this system ("newmark(…) cannot keep constraints; …"); empty when it
// can.
[[nodiscard]] std::string reason_unsupported(const System& system, const Scheme& scheme);

// For use within a step of another integrator, where the system stands still.
[[nodiscard]] std::unique_ptr<Integrator> make_plain_integrator(const System& system,
                                                                const Scheme& scheme,
                                                                const SolverOptions& options);

// One step that, when it fails, is tried again as two steps of h/2, each again in halves, at most
// `max_halvings` deep. The report covers all of them; on failure the state is as it was.
StepReport advance(Integrator& integrator, State& state, double h, int max_halvings);

}  // namespace lilyan
