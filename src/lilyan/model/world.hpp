// A system together with what its steps remember: the System is only read, the memory belongs to
// the integrator (as MuJoCo's model and data). So several integrators may step one System.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lilyan/model/energy_memory.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

// The memories of all energies of a system that change between steps.
class WorldMemory {
 public:
  // As no step has been made yet. The system must outlive it.
  explicit WorldMemory(const System& system);

  // Null for an energy that does not change.
  [[nodiscard]] const EnergyMemory* of(const Energy& energy) const;
  // Another number after every change, so that values of energies can be kept until then.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Another number after every change of stencils. Of a system that several processes share it is the same in all of
  // them.
  [[nodiscard]] std::uint64_t stencils_version() const { return stencils_version_; }

  // Between two steps, at time t. Steps that began at t or later have been given up: whatever they
  // did is undone.
  void settle(double t);
  // Before a step (again, should it be repeated).
  void begin_step(const StepStart& start);
  // Within a step, before a Hessian on the way from x0 to x0 + d. True when there are new stencils.
  bool meet(const double* x0, const double* d);
  // Makes a displacement free of what is in its way, as far as that is known. True when it has changed.
  bool free_start(const double* x0, double* d) const;
  // The share of a direction that an iteration may go at once.
  [[nodiscard]] double largest_step(const double* along) const;
  // Walls in the way of an iteration (ChangesBetweenSteps::find_walls).
  int find_walls(const StepTrial& trial);
  void add_walls(double* gradient) const;
  void forget_walls();
  // After a step to x that was solved; false, in all processes, when it is to be repeated.
  [[nodiscard]] bool found_all_contacts(const double* x);

  // For energies at a state that no step led to: nothing depends on the past.
  void look_at(const State& state);

  // Not what giving up earlier steps would need.
  void archive(Archive& a);

 private:
  struct Slot {
    const Energy* energy;
    const ChangesBetweenSteps* changing;
    std::unique_ptr<EnergyMemory> memory;
  };
  // The memories that depend on the past, as a step that began at t used them.
  struct Past {
    double t;
    std::string bytes;
  };
  void save_past(std::string& bytes) const;
  void remember(double t);
  void go_back(double t);

  const System& system_;
  std::vector<Slot> slots_;
  bool depends_on_past_ = false;
  std::string first_;       // what depends on the past, before any step
  std::vector<Past> past_;  // in the order of t; only steps that changed something
  std::string scratch_;
  std::uint64_t version_ = 1;
  std::uint64_t stencils_version_ = 1;
};

// An integrator steps a world: a system, and the memory of whoever steps it. Without a memory (null) energies
// are as they were when they were made, which is enough for systems that do not change.
struct World {
  const System& system;
  const WorldMemory* memory = nullptr;
  // The same for who steps it: within a step it may meet new pairs.
  WorldMemory* stepped = nullptr;

  // Any system is a world without a memory.
  // NOLINTNEXTLINE(google-explicit-constructor)
  World(const System& s, const WorldMemory* m = nullptr) : system(s), memory(m) {}
  World(const System& s, WorldMemory* m) : system(s), memory(m), stepped(m) {}

  [[nodiscard]] const EnergyMemory* memory_of(const Energy& energy) const {
    return memory ? memory->of(energy) : nullptr;
  }
  [[nodiscard]] std::uint64_t version() const { return memory ? memory->version() : 0; }
  [[nodiscard]] std::uint64_t stencils_version() const {
    return memory ? memory->stencils_version() : 0;
  }
  [[nodiscard]] Stencils stencils(const Energy& energy) const {
    return energy.stencils_with(memory_of(energy));
  }
};

}  // namespace lilyan
