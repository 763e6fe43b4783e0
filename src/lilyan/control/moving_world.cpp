#include "lilyan/control/moving_world.hpp"

#include <array>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/sums.hpp"

namespace lilyan {
namespace {

// Contacts are looked for before a step. One that has met others pushed less than it should have, so it is solved
// again with these, at most this often. The pattern of the Hessian grows for it, and nothing else is made anew.
constexpr int kMaxRepeats = 10;

double kinetic_energy(const System& system, const Vector& v) {
  return 0.5 * sum_over(system, [&](int first, int last) {
           return system.mass().square(v.segment(first, last - first), first);
         });
}

}  // namespace

void MovingWorldIntegrator::archive(Archive& a) {
  a.mark("moving world");
  archive_memory(a);
  inner_->archive(a);
}

MovingWorldIntegrator::MovingEnergy MovingWorldIntegrator::moving_energy(const Vector& x) const {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  MovingEnergy sum;
  for (const auto& energy : system_.energies()) {
    if (!energy->changes_between_steps() || !system_.counts(*energy)) continue;
    const double value = total(
        system_, energy->evaluate({.x0 = x.data(), .nodes = here, .memory = memory_.of(*energy)}));
    sum.by_kind[static_cast<std::size_t>(energy->kind())] += value;
    (energy->abilities().changes->depends_on_past() ? sum.by_past : sum.by_time) += value;
  }
  return sum;
}

// A point of a step with its energies before (after) they changed.
Invariants MovingWorldIntegrator::exchange(const Invariants& at, const Vector& x, const Vector& v,
                                           const MovingEnergy& from, const MovingEnergy& to) const {
  EnergyByKind potential = at.potential;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) potential[k] += to.by_kind[k] - from.by_kind[k];
  return invariants(system_, x, v, potential);
}

// Returns the change of kinetic energy.
double MovingWorldIntegrator::kick(State& state, double h) {
  if (system_.impulses().empty() || state.h_previous == 0) return 0;
  scratch_.setZero(system_.dofs());
  for (const auto& impulse : system_.impulses()) {
    impulse->add(state.x_previous.data(), state.x.data(), scratch_.data());
  }
  refresh(system_, scratch_);
  system_.embedding().pull_back(scratch_);
  // The impulse is that of the force over the step before; this step may have another length.
  const double before = kinetic_energy(system_, state.v);
  system_.mass().kick(state.v, h / state.h_previous, scratch_, state.v);
  return kinetic_energy(system_, state.v) - before;
}

// Straight to where the vertices are to be at the end of the step. The step before is made to fit,
// so that methods that look at it go straight on as well.
void MovingWorldIntegrator::move(State& state, double h) {
  if (system_.motions().empty()) return;
  scratch_ = state.x;
  for (const auto& motion : system_.motions()) {
    motion->positions(state.t + h, scratch_.data());
    for (const int i : motion->vertices()) {
      state.v.segment<3>(3 * i) = (scratch_.segment<3>(3 * i) - state.x.segment<3>(3 * i)) / h;
      if (state.h_previous == 0) continue;
      state.v_previous.segment<3>(3 * i) = state.v.segment<3>(3 * i);
      state.x_previous.segment<3>(3 * i) =
          state.x.segment<3>(3 * i) - state.h_previous * state.v.segment<3>(3 * i);
    }
  }
}

StepReport MovingWorldIntegrator::step(State& state, double h) {
  system_.embedding().restrict_velocity(state.v);
  start_ = state;
  memory_.settle(state.t);
  const MovingEnergy before = moving_energy(state.x);
  MovingEnergy opened;
  StepReport report;
  double dissipation = 0;
  double moved = 0;
  for (int repeat = 0;; ++repeat) {
    memory_.begin_step({.t = state.t, .h = h, .x = state.x.data(), .v = state.v.data()});
    opened = moving_energy(state.x);
    dissipation = kick(state, h);
    const double still = kinetic_energy(system_, state.v);
    move(state, h);
    moved = kinetic_energy(system_, state.v) - still;
    StepReport attempt = inner_->step(state, h);
    if (repeat > 0) attempt.solver_work += report.solver_work;
    report = attempt;
    const bool failed = !succeeded(report.status);
    if (!failed && memory_.found_all_contacts(state.x.data())) break;
    state = start_;
    if (!failed && repeat < kMaxRepeats) continue;
    if (!failed) report.status = StepStatus::not_converged;
    memory_.settle(state.t);
    report.before = exchange(report.before, start_.x, start_.v, opened, before);
    report.after = report.before;
    report.ledger = {};
    return report;
  }
  report.before = exchange(report.before, start_.x, start_.v, opened, before);
  const MovingEnergy within = moving_energy(state.x);
  memory_.settle(state.t);
  const MovingEnergy after = moving_energy(state.x);
  report.after = exchange(report.after, state.x, state.v, within, after);
  report.ledger.method += opened.by_past - before.by_past + after.by_past - within.by_past;
  report.ledger.work += moved + opened.by_time - before.by_time + after.by_time - within.by_time;
  report.ledger.dissipation += dissipation;
  return report;
}

}  // namespace lilyan
