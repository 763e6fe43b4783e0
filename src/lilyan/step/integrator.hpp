// What steps a system with a method. make_integrator makes one (control/make_integrator.hpp).
#pragma once

#include <memory>
#include <string_view>

#include "lilyan/conservation/step_report.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system_parts.hpp"
#include "lilyan/saving/archive.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

struct World;
class WorldMemory;

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

  // The memory that the steps so far have left in energies that change between steps. Null when none
  // of the system's energies does.
  [[nodiscard]] virtual const WorldMemory* memory() const { return nullptr; }
  // The memory of energies alone: another integrator of the same system that loads it goes on from there.
  virtual void archive_memory(Archive& /*a*/) {}
  // All that the steps so far have left behind beyond the State: another integrator of the same system
  // and scheme that loads it goes on bit for bit as this one would.
  virtual void archive(Archive& /*a*/) {}

  // Takes nothing from the steps before to speed up the next one, which then gives the same bits
  // whatever was stepped before.
  virtual void forget() {}

  // The following steps are parts of a longer one: forces that jump at some moments are taken as that step
  // sees them. Null: the steps stand for themselves.
  virtual void part_of(const TimeSpan* whole) { whole_ = whole; }

  // Name of the linear solver, empty for explicit methods; and where the time went.
  [[nodiscard]] virtual std::string_view linear_solver() const { return {}; }
  [[nodiscard]] virtual NewtonTimes times() const { return {}; }

 protected:
  // The step in which forces see a step by h.
  [[nodiscard]] TimeSpan span_of_step(const State& state, double h) const {
    return whole_ ? *whole_ : TimeSpan{state.t, state.t + h};
  }
  [[nodiscard]] const TimeSpan* whole() const { return whole_; }

 private:
  const TimeSpan* whole_ = nullptr;
};

// For use within a step of another integrator, where the world stands still.
[[nodiscard]] std::unique_ptr<Integrator> make_plain_integrator(const World& world,
                                                                const Scheme& scheme,
                                                                const SolverOptions& options);
// A start for the solves that are not minimisations: AVF, whose minimiser cannot get lost and whose
// step differs from those of other methods of order two by the third order of h, so that it need
// not be solved well.
[[nodiscard]] std::unique_ptr<Integrator> make_predictor(const World& world, SolverOptions options);

}  // namespace lilyan
