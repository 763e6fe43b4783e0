// Steps of a system that changes between steps: prescribed vertices, moving obstacles, contacts
// that come and go, impulses.
#pragma once

#include <memory>

#include "lilyan/integrate/integrator.hpp"

namespace lilyan {

// Wraps any method. Within a step the system stands still, but for vertices that move on with
// constant velocity; what happens before and after the step is booked in its ledger:
//   - energies that depend on time are set to the middle of the step, where the body is at its
//     start; to the end of the step, where the body is at its end. What that changes is work (of
//     energies that depend on the past: the method's own error).
//   - impulses of the step before change the velocities: dissipation.
//   - prescribed vertices get the velocity that leads them to where they are to be. Their change of
//     kinetic energy is work; what they do within the step the method itself books.
class ChangingIntegrator final : public Integrator {
 public:
  using Make = std::unique_ptr<Integrator> (*)(const System&, const Scheme&, const SolverOptions&);
  // Made again with `make` whenever the stencils of energies have changed.
  ChangingIntegrator(const System& system, Scheme scheme, const SolverOptions& options, Make make);

  StepReport step(State& state, double h) override;
  [[nodiscard]] std::string_view linear_solver() const override { return inner_->linear_solver(); }
  [[nodiscard]] NewtonTimes times() const override;

 private:
  bool begin_energies(const State& state, double h);
  void end_energies(double t);
  [[nodiscard]] bool covered(const Vector& x);
  double kick(State& state, double h);
  void move(State& state, double h);
  void remake();
  // Values of the energies that change: by kind, and by why they do.
  struct Changing {
    EnergyByKind by_kind{};
    double timed = 0;
    double remembered = 0;
  };
  [[nodiscard]] Changing changing(const Vector& x) const;
  [[nodiscard]] Invariants exchange(const Invariants& at, const Vector& x, const Vector& v,
                                    const Changing& from, const Changing& to) const;

  const System& system_;
  Scheme scheme_;
  SolverOptions options_;
  Make make_;
  std::unique_ptr<Integrator> inner_;
  NewtonTimes earlier_;  // of integrators before this one
  State start_;
  Vector impulse_;
};

}  // namespace lilyan
