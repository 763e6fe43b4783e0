#include "lilyan/integrate/control/changing.hpp"

#include <array>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"

namespace lilyan {
namespace {

// A step that moves things farther than was looked for contacts is repeated at most this often.
constexpr int kMaxRepeats = 10;

double kinetic(const System& system, const Vector& v) {
  return 0.5 * (system.mass().array() * v.array().square()).sum();
}

}  // namespace

ChangingIntegrator::ChangingIntegrator(const System& system, Scheme scheme,
                                       const SolverOptions& options, Make make)
    : system_(system),
      scheme_(std::move(scheme)),
      options_(options),
      make_(make),
      inner_(make(system_, scheme_, options_)) {}

NewtonTimes ChangingIntegrator::times() const {
  NewtonTimes sum = earlier_;
  sum += inner_->times();
  return sum;
}

void ChangingIntegrator::remake() {
  earlier_ += inner_->times();
  inner_ = make_(system_, scheme_, options_);
}

// Of the energies that change only; the others are what the method says they are.
ChangingIntegrator::Changing ChangingIntegrator::changing(const Vector& x) const {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  Changing sum;
  for (const auto& energy : system_.energies()) {
    if (!energy->changes()) continue;
    const double value = energy->evaluate({.x0 = x.data(), .nodes = here});
    sum.by_kind[static_cast<std::size_t>(energy->kind())] += value;
    (energy->remembers() ? sum.remembered : sum.timed) += value;
  }
  return sum;
}

// The same point of a step with its energies before (after) they changed.
Invariants ChangingIntegrator::exchange(const Invariants& at, const Vector& x, const Vector& v,
                                        const Changing& from, const Changing& to) const {
  EnergyByKind potential = at.potential;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) potential[k] += to.by_kind[k] - from.by_kind[k];
  return invariants(system_, x, v, potential);
}

bool ChangingIntegrator::begin_energies(const State& state, double h) {
  bool changed = false;
  const StepOpening opening{.t = state.t, .h = h, .x = state.x.data(), .v = state.v.data()};
  for (const auto& energy : system_.energies()) {
    if (energy->changes()) changed = energy->begin_step(opening) || changed;
  }
  return changed;
}

void ChangingIntegrator::end_energies(double t) {
  for (const auto& energy : system_.energies()) {
    if (energy->changes()) energy->end_step(t);
  }
}

bool ChangingIntegrator::covered(const Vector& x) {
  bool all = true;
  for (const auto& energy : system_.energies()) {
    if (energy->changes()) all = energy->covers(x.data()) && all;
  }
  return all;
}

// Returns the change of kinetic energy.
double ChangingIntegrator::kick(State& state, double h) {
  if (system_.impulses().empty() || state.h_previous == 0) return 0;
  impulse_.setZero(system_.dofs());
  for (const auto& impulse : system_.impulses()) {
    impulse->add(state.x_previous.data(), state.x.data(), impulse_.data());
  }
  stop_fixed(system_, impulse_);
  // What the step before says of the force, over the length of this one.
  impulse_.array() *= (h / state.h_previous) / system_.mass().array();
  const double before = kinetic(system_, state.v);
  state.v += impulse_;
  return kinetic(system_, state.v) - before;
}

// Straight to where the vertices are to be at the end of the step. The step before is made to fit,
// so that methods that look at it go straight on as well.
void ChangingIntegrator::move(State& state, double h) {
  if (system_.motions().empty()) return;
  impulse_ = state.x;
  for (const auto& motion : system_.motions()) {
    motion->positions(state.t + h, impulse_.data());
    for (const int i : motion->vertices()) {
      state.v.segment<3>(3 * i) = (impulse_.segment<3>(3 * i) - state.x.segment<3>(3 * i)) / h;
      if (state.h_previous == 0) continue;
      state.v_previous.segment<3>(3 * i) = state.v.segment<3>(3 * i);
      state.x_previous.segment<3>(3 * i) =
          state.x.segment<3>(3 * i) - state.h_previous * state.v.segment<3>(3 * i);
    }
  }
}

StepReport ChangingIntegrator::step(State& state, double h) {
  stop_unmoved(system_, state.v);
  start_ = state;
  // Whatever was tried before this, and given up, is undone.
  end_energies(state.t);
  const Changing before = changing(state.x);
  Changing opened;
  StepReport report;
  double dissipation = 0;
  double moved = 0;
  for (int repeat = 0;; ++repeat) {
    if (begin_energies(state, h)) remake();
    inner_->forget();
    opened = changing(state.x);
    dissipation = kick(state, h);
    const double still = kinetic(system_, state.v);
    move(state, h);
    moved = kinetic(system_, state.v) - still;
    StepReport attempt = inner_->step(state, h);
    if (repeat > 0) attempt.add_work(report);
    report = attempt;
    const bool failed = !succeeded(report.status);
    if (!failed && covered(state.x)) break;
    state = start_;
    if (!failed && repeat < kMaxRepeats) continue;
    if (!failed) report.status = StepStatus::not_converged;
    end_energies(state.t);
    report.before = exchange(report.before, start_.x, start_.v, opened, before);
    report.after = report.before;
    report.ledger = {};
    return report;
  }
  report.before = exchange(report.before, start_.x, start_.v, opened, before);
  const Changing within = changing(state.x);
  end_energies(state.t);
  const Changing after = changing(state.x);
  report.after = exchange(report.after, state.x, state.v, within, after);
  report.ledger.method +=
      opened.remembered - before.remembered + after.remembered - within.remembered;
  report.ledger.work += moved + opened.timed - before.timed + after.timed - within.timed;
  report.ledger.dissipation += dissipation;
  return report;
}

}  // namespace lilyan
