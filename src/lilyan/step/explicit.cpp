#include "lilyan/step/explicit.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"

namespace lilyan {
namespace {
constexpr int kMaxForceIterations = 100;
using Kind = ExplicitTable::Stage::Kind;
}  // namespace

ExplicitIntegrator::ExplicitIntegrator(const World& world, ExplicitTable table)
    : system_(world.system),
      table_(std::move(table)),
      assembler_(world),
      potential_(assembler_),
      inverse_mass_(system_.mass().cwiseInverse()),
      dissipation_(world),
      forced_(!system_.forces().empty() || !dissipation_.empty()) {
  if (!forced_) return;
  for (Vector* v :
       {&kicked_, &force_, &before_force_, &dissipated_, &before_dissipated_, &scratch_}) {
    v->setZero(system_.dofs());
  }
}

Invariants ExplicitIntegrator::at_start(const State& state) {
  if (has_end_ && potential_.holds(state.x) && potential_.same_everywhere(end_v_, state.v))
    return end_;
  return invariants(system_, state.x, state.v, potential_.values(state.x));
}

// A kick by the weight w of a stage changes the momentum by  w h (F − ∇E(x)), and with v̄ the mean of
// the velocities before and after it the kinetic energy by
//   w h F·v̄ − w h ∇E(x)·v̄.                                                                      (1)
// The first term is work and dissipation. The second and the change of potential energy should add
// up to zero, but for the part of the latter that is the work of prescribed vertices:
//   method = E₁ − E₀ − Σ w h ∇E(x)·v̄ − prescribed work.                                         (2)
StepReport ExplicitIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = at_start(state);
  report.after = report.before;
  span_ = span_of_step(state, h);
  dissipation_.begin_step(state, h);

  // Where the step has got to. The first drift and the first kick read the state: nothing is
  // copied.
  const Vector* x = &state.x;
  const Vector* v = &state.v;
  const auto own = [](const Vector*& now, Vector& vector) {
    if (now != &vector) vector = *now;
    now = &vector;
  };
  StepAccount account;
  double t = state.t;
  bool evaluated = false;  // at x
  for (std::size_t i = 0; i < table_.stages.size(); ++i) {
    const auto& [kind, weight] = table_.stages[i];
    if (kind == Kind::drift) {
      x1_ = *x + (weight * h) * *v;
      x = &x1_;
      t += weight * h;
      evaluated = false;
      continue;
    }
    const Vector& gradient = evaluated ? potential_.last_gradient() : potential_.gradient(*x);
    evaluated = true;
    ++report.solver_work.evaluations;
    double power = inner(system_, gradient, *v);
    if (forced_) {
      own(v, v1_);
      if (!forced_kick(i, t, weight * h, *x, gradient, v1_, account)) {
        report.status = StepStatus::not_converged;
        return report;
      }
    } else {
      v1_ = v->array() - (weight * h) * inverse_mass_.array() * gradient.array();
      v = &v1_;
    }
    power += inner(system_, gradient, v1_);
    account.potential -= 0.5 * weight * h * power;  // (1)
  }
  own(x, x1_);
  own(v, v1_);
  // With the gradient, since the next step's first kick will want it here.
  if (!evaluated) potential_.gradient(x1_);
  end_ = invariants(system_, x1_, v1_, potential_.last_values());
  end_v_ = v1_;
  has_end_ = true;
  commit(report, state, x1_, v1_, end_, [&] {
    if (!system_.motions().empty()) {
      moved_ = x1_ - state.x;
      moved_scratch_.resize(moved_.size());
      account.prescribed = prescribed_work(assembler_.world(), state.x, moved_, moved_scratch_);
    }
    return account;  // (2)
  });
  return report;
}

void ExplicitIntegrator::add_all_forces(double t, const Vector& x, const Vector& v, double share,
                                        Vector& total, Vector& dissipated) {
  add_forces(system_, span_, t, x, v, share, scratch_, total);
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
                                     const Vector& gradient, Vector& v, StepAccount& account) {
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
    const double change = std::sqrt(sum_over(system_, [&](int first, int last) {
      const auto part = [&](const Vector& u) { return u.segment(first, last - first); };
      return (part(scratch_) - part(kicked_)).squaredNorm();
    }));
    kicked_.swap(scratch_);
    // Done when only rounding errors move it any more.
    if (share_after == 0 || change == 0 ||
        (change >= last_change && change <= 1e-14 * std::sqrt(inner(system_, kicked_, kicked_)))) {
      scratch_ = 0.5 * (v + kicked_);
      const double dissipation = h * inner(system_, dissipated_, scratch_);
      double driven = 0;
      for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
        driven -= h * (1 - share_after) * dissipation_.driven_power(which, v);
        driven -= h * share_after * dissipation_.driven_power(which, kicked_);
      }
      account.dissipation += dissipation;
      account.driven += driven;
      account.force += h * inner(system_, force_, scratch_) - dissipation;
      v.swap(kicked_);
      return true;
    }
    if (change >= 2 * last_change) return false;
    last_change = change;
  }
  return false;
}

}  // namespace lilyan
