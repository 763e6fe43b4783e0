// Steps of a world that changes between steps: prescribed vertices, moving obstacles, contacts that
// come and go, impulses.
#pragma once

#include <memory>

#include "lilyan/model/world.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

// Wraps any method. Within a step the world stands still, but for vertices that move on with
// constant velocity; what happens before and after the step is booked in its ledger:
//   - energies that depend on time are set to the middle of the step, where the body is at its
//     start; to the end of the step, where the body is at its end. What that changes is work (of
//     energies that depend on the past: the method's own error).
//   - impulses of the step before change the velocities: dissipation.
//   - prescribed vertices get the velocity that leads them to where they are to be. Their change of
//     kinetic energy is work; what they do within the step the method itself books.
//
// It keeps the memory of energies from step to step (model/world.hpp). A state from an earlier
// time undoes the steps that were made since then, so attempts may be given up by whoever calls.
class MovingWorldIntegrator final : public Integrator {
 public:
  using Make = std::unique_ptr<Integrator> (*)(const World&, const Scheme&, const SolverOptions&);
  // `make` makes the wrapped method.
  MovingWorldIntegrator(const System& system, const Scheme& scheme, const SolverOptions& options,
                        Make make)
      : system_(system), memory_(system), inner_(make({system, &memory_}, scheme, options)) {}

  StepReport step(State& state, double h) override;
  [[nodiscard]] const WorldMemory* memory() const override { return &memory_; }
  void archive_memory(Archive& a) override { memory_.archive(a); }
  void archive(Archive& a) override;
  void part_of(const TimeSpan* whole) override {
    Integrator::part_of(whole);
    inner_->part_of(whole);
  }
  [[nodiscard]] std::string_view linear_solver() const override { return inner_->linear_solver(); }
  [[nodiscard]] NewtonTimes times() const override { return inner_->times(); }

 private:
  double kick(State& state, double h);
  void move(State& state, double h);
  // Values of the energies that change: by kind, and by why they do.
  struct MovingEnergy {
    EnergyByKind by_kind{};
    double by_time = 0;
    double by_past = 0;
  };
  [[nodiscard]] MovingEnergy moving_energy(const Vector& x) const;
  [[nodiscard]] Invariants exchange(const Invariants& at, const Vector& x, const Vector& v,
                                    const MovingEnergy& from, const MovingEnergy& to) const;

  const System& system_;
  WorldMemory memory_;
  std::unique_ptr<Integrator> inner_;
  State start_;
  Vector scratch_;
};

}  // namespace lilyan
