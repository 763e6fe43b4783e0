#include "lilyan/integrate/changing.hpp"

#include <array>
#include <utility>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/diagnose/invariants.hpp"

namespace lilyan {
namespace {

// A step that moves things farther than was looked for contacts is repeated at most this often.
constexpr int kMaxRepeats = 10;

double kinetic(const System& system, const Vector& v) {
  return 0.5 * (system.mass().array() * v.array().square()).sum();
}

double sum_change(const EnergyByKind& before, const EnergyByKind& after) {
  double change = 0;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) change += after[k] - before[k];
  return change;
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

EnergyByKind ChangingIntegrator::potential(const Vector& x) const {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  return Assembler(system_).values(x, nullptr, here);
}

// The part of energies that depend on the past.
double ChangingIntegrator::remembered(const Vector& x) const {
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  double sum = 0;
  for (const auto& energy : system_.energies()) {
    if (energy->remembers()) sum += energy->evaluate({.x0 = x.data(), .nodes = here});
  }
  return sum;
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
double ChangingIntegrator::kick(State& state) {
  if (system_.impulses().empty() || state.h_previous == 0) return 0;
  impulse_.setZero(system_.dofs());
  for (const auto& impulse : system_.impulses()) {
    impulse->add(state.x_previous.data(), state.x.data(), impulse_.data());
  }
  stop_fixed(system_, impulse_);
  impulse_.array() /= system_.mass().array();
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
  start_ = state;
  stop_unmoved(system_, state.v);
  const Invariants before = invariants(system_, state.x, state.v, potential(state.x));
  StepReport report;
  double dissipation = 0;
  double work = 0;
  double method = 0;
  const double before_remembered = remembered(state.x);
  for (int repeat = 0;; ++repeat) {
    if (begin_energies(state, h)) remake();
    inner_->forget();
    method = remembered(state.x) - before_remembered;
    work = sum_change(before.potential, potential(state.x)) - method;
    dissipation = kick(state);
    const double still = kinetic(system_, state.v);
    move(state, h);
    work += kinetic(system_, state.v) - still;
    StepReport attempt = inner_->step(state, h);
    if (repeat > 0) attempt.add_work(report);
    report = attempt;
    const bool failed = !succeeded(report.status);
    const bool enough = failed || covered(state.x);
    if (enough && !failed) break;
    state = start_;
    if (failed || repeat == kMaxRepeats) {
      if (!failed) report.status = StepStatus::not_converged;
      end_energies(state.t);
      state.h_previous = failed ? 0 : state.h_previous;
      report.before = report.after = before;
      report.ledger = {};
      return report;
    }
  }
  const EnergyByKind within = report.after.potential;
  const double within_remembered = remembered(state.x);
  end_energies(state.t);
  report.before = before;
  report.after = invariants(system_, state.x, state.v, potential(state.x));
  const double late = remembered(state.x) - within_remembered;
  report.ledger.method += method + late;
  report.ledger.work += work + sum_change(within, report.after.potential) - late;
  report.ledger.dissipation += dissipation;
  return report;
}

}  // namespace lilyan
