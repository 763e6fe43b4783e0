// Energies that change between steps, and what they know.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "lilyan/model/energy.hpp"

namespace lilyan {

class Archive;

// The present knowledge of an energy that changes between steps: where a moving obstacle is, which
// pairs are near each other, which springs there are. It belongs to the integrator (model/world.hpp)
// and not to the energy, since a System is only read while stepping.
class EnergyMemory {
 public:
  EnergyMemory() = default;
  EnergyMemory(const EnergyMemory&) = default;
  EnergyMemory& operator=(const EnergyMemory&) = default;
  virtual ~EnergyMemory() = default;

  virtual void archive(Archive& a) = 0;
};

// A step of an iteration from x0 + d along a direction, within one step in time.
struct StepTrial {
  const double* x0 = nullptr;
  const double* d = nullptr;
  const double* along = nullptr;
  double weight = 1;  // of the energy in what is minimised
};

// Energies that depend on time (a moving obstacle) or on the past (a spring that appears on contact) change between
// steps, never within one.
class ChangesBetweenSteps {
 public:
  virtual ~ChangesBetweenSteps() = default;
  // The change of energy between two steps is work where the energy depends on time only, and an
  // error of the model where it depends on the past.
  [[nodiscard]] virtual bool depends_on_past() const { return false; }
  // The memory of an energy that changes, as no step has been made yet.
  [[nodiscard]] virtual std::unique_ptr<EnergyMemory> make_memory() const = 0;
  // The stencils in the steps that this memory is for (none: they are always the same).
  [[nodiscard]] virtual std::optional<Stencils> stencils_now(const EnergyMemory& /*memory*/) const {
    return std::nullopt;
  }
  // Called before a step (again, should it be repeated). True when the stencils have changed.
  virtual bool begin_step(const StepStart& /*start*/, EnergyMemory& /*memory*/) const {
    return false;
  }
  // Called within a step, before the Hessian is asked for on the way from x0 to x0 + d. Values do not depend on it: it
  // only says which stencils that Hessian needs. True when there are new ones.
  virtual bool meet(const double* /*x0*/, const double* /*d*/, EnergyMemory& /*memory*/) const {
    return false;
  }
  // Where no displacement that is known is free, because something that is held moves into bodies: lets these move along
  // with it. True when it has changed d.
  virtual bool free_start(const double* /*x0*/, double* /*d*/,
                          const EnergyMemory& /*memory*/) const {
    return false;
  }
  // The share of a direction that an iteration may go at once.
  [[nodiscard]] virtual double largest_step(const double* /*along*/,
                                            const EnergyMemory& /*memory*/) const {
    return std::numeric_limits<double>::infinity();
  }
  // Walls are a part of the model of an iteration, and of nothing else. A direction that would run into something the
  // energy begins only close to knows nothing of it; with a stiff spring in its way it bends. Looks what the direction
  // runs into, and which walls hold it back instead: the number of changes.
  virtual int find_walls(const StepTrial& /*trial*/, EnergyMemory& /*memory*/) const { return 0; }
  // gradient += that of the walls at d
  virtual void add_walls(const EnergyMemory& /*memory*/, double* /*gradient*/) const {}
  virtual void forget_walls(EnergyMemory& /*memory*/) const {}
  // Called after a step to x that was solved. False when E left out contacts at x that nobody could
  // know of before: the step is to be repeated.
  [[nodiscard]] virtual bool found_all_contacts(const double* /*x*/,
                                                EnergyMemory& /*memory*/) const {
    return true;
  }
  // Called when the step is done, at its end t.
  virtual void end_step(double /*t*/, EnergyMemory& /*memory*/) const {}
};

}  // namespace lilyan
