#include "lilyan/integrate/step/explicit.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/forces.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
namespace {
constexpr int kMaxForceIterations = 100;
using Kind = ExplicitTable::Stage::Kind;
}  // namespace

ExplicitIntegrator::ExplicitIntegrator(const System& system, ExplicitTable table)
    : system_(system),
      table_(std::move(table)),
      assembler_(system),
      potential_(assembler_),
      inverse_mass_(system.mass().cwiseInverse()),
      dissipation_(system),
      forced_(!system.forces().empty() || !dissipation_.empty()) {
  if (!forced_) return;
  for (Vector* v :
       {&kicked_, &force_, &before_force_, &dissipated_, &before_dissipated_, &scratch_}) {
    v->setZero(system.dofs());
  }
}

Invariants ExplicitIntegrator::at_start(const State& state) {
  if (has_end_ && potential_.holds(state.x) && PotentialCache::same(end_v_, state.v)) return end_;
  return invariants(system_, state.x, state.v, potential_.values(state.x));
}

StepReport ExplicitIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = at_start(state);

  // The old state goes into the history, from where a failed step takes it back. The first drift
  // and the first kick read it there: nothing is copied.
  Vector& x = state.x;
  Vector& v = state.v;
  dissipation_.begin_step(x, h);
  x.swap(state.x_previous);
  v.swap(state.v_previous);
  const Vector* x_now = &state.x_previous;
  const Vector* v_now = &state.v_previous;
  const auto move_to = [](const Vector*& now, Vector& vector) {
    if (now != &vector) vector = *now;
    now = &vector;
  };
  double t = state.t;
  bool evaluated = false;  // at x_now
  for (std::size_t i = 0; i < table_.stages.size(); ++i) {
    const auto& [kind, weight] = table_.stages[i];
    if (kind == Kind::drift) {
      x = *x_now + (weight * h) * *v_now;
      x_now = &x;
      t += weight * h;
      evaluated = false;
      continue;
    }
    const Vector& gradient = evaluated ? potential_.last_gradient() : potential_.gradient(*x_now);
    evaluated = true;
    ++report.evaluations;
    if (!forced_) {
      v = v_now->array() - (weight * h) * inverse_mass_.array() * gradient.array();
      v_now = &v;
      continue;
    }
    move_to(v_now, v);
    if (!forced_kick(i, t, weight * h, *x_now, gradient, v, report)) {
      report.status = StepStatus::not_converged;
      break;
    }
  }
  move_to(x_now, x);
  move_to(v_now, v);
  // With the gradient, since the next step's first kick will want it here.
  if (!evaluated) potential_.gradient(x);
  report.after = invariants(system_, x, v, potential_.last_values());
  end_ = report.after;
  end_v_ = v;
  has_end_ = true;
  if (!std::isfinite(report.after.total)) report.status = StepStatus::non_finite;
  if (!succeeded(report.status)) {
    report.after = report.before;
    report.ledger = {};
    x.swap(state.x_previous);
    v.swap(state.v_previous);
    state.h_previous = 0;
    return report;
  }
  if (!system_.motions().empty()) {
    moved_ = x - state.x_previous;
    moved_scratch_.resize(moved_.size());
    report.ledger.work += prescribed_work(system_, state.x_previous, moved_, moved_scratch_);
  }
  report.ledger.method =
      report.after.total - report.before.total - report.ledger.work - report.ledger.dissipation;
  state.h_previous = h;
  state.t += h;
  return report;
}

void ExplicitIntegrator::add_all_forces(double t, const Vector& x, const Vector& v, double share,
                                        Vector& total, Vector& dissipated) {
  add_forces(system_, t, x, v, share, scratch_, total);
  if (dissipation_.empty()) return;
  scratch_.setZero();
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    dissipation_.value_and_gradient(which, v, -share, scratch_);
  }
  total += scratch_;
  dissipated += scratch_;
}

// By Lagrange–d'Alembert a kick's external force sees the velocities of the drifts it stands
// between: half of it (all, at an end of the step) that of the drift before, half that of the drift
// after. The latter is what the kick leads to, hence an iteration, contracting with
// h·(damping/mass).
bool ExplicitIntegrator::forced_kick(std::size_t stage, double t, double h, const Vector& x,
                                     const Vector& gradient, Vector& v, StepReport& report) {
  const bool drift_before = stage > 0;
  const bool drift_after = stage + 1 < table_.stages.size();
  const double share_after = drift_after ? (drift_before ? 0.5 : 1.0) : 0.0;
  before_force_.setZero();
  before_dissipated_.setZero();
  if (share_after != 1) {
    add_all_forces(t, x, v, 1 - share_after, before_force_, before_dissipated_);
  }
  kicked_ = v;
  double last_change = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxForceIterations; ++k) {
    force_ = before_force_;
    dissipated_ = before_dissipated_;
    if (share_after != 0) add_all_forces(t, x, kicked_, share_after, force_, dissipated_);
    scratch_ = v;
    scratch_.array() += h * inverse_mass_.array() * (force_ - gradient).array();
    const double change = (scratch_ - kicked_).norm();
    kicked_.swap(scratch_);
    // Done when only rounding errors move it any more.
    if (share_after == 0 || change == 0 ||
        (change >= last_change && change <= 1e-14 * kicked_.norm())) {
      scratch_ = 0.5 * (v + kicked_);
      const double dissipation = h * dissipated_.dot(scratch_);
      double driven = 0;
      for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
        driven -= h * (1 - share_after) * dissipation_.driven_power(which, v);
        driven -= h * share_after * dissipation_.driven_power(which, kicked_);
      }
      report.ledger.dissipation += dissipation - driven;
      report.ledger.work += h * force_.dot(scratch_) - dissipation + driven;
      v.swap(kicked_);
      return true;
    }
    if (change >= 2 * last_change) return false;
    last_change = change;
  }
  return false;
}

}  // namespace lilyan
