#include "lilyan/step/explicit.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"

namespace lilyan {
namespace {
constexpr int kMaxForceIterations = 100;
using Kind = ExplicitTable::Stage::Kind;

// What `now` points to becomes the vector, which it points to from then on.
void own(const Vector*& now, Vector& vector) {
  if (now != &vector) vector = *now;
  now = &vector;
}

}  // namespace

ExplicitIntegrator::ExplicitIntegrator(const World& world, ExplicitTable table)
    : system_(world.system),
      table_(std::move(table)),
      assembler_(world),
      potential_(assembler_),
      dissipation_(world),
      forced_(!system_.forces().empty() || !dissipation_.empty()) {
  if (!forced_) return;
  for (Vector* v : {&work_.kicked, &work_.force, &work_.before, &work_.dissipated,
                    &work_.before_dissipated, &work_.scratch}) {
    v->setZero(system_.dofs());
  }
}

Invariants ExplicitIntegrator::at_start(const State& state) {
  if (end_.known && potential_.holds(state.x) && potential_.same_everywhere(end_.v, state.v))
    return end_.invariants;
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
  system_.embedding().restrict_velocity(state.v);
  report.before = at_start(state);
  report.after = report.before;
  span_ = span_of_step(state, h);
  dissipation_.begin_step(state, h);

  // Where the step has got to. The first drift and the first kick read the state: nothing is
  // copied.
  const Vector* x = &state.x;
  const Vector* v = &state.v;
  StepAccount account;
  double t = state.t;
  bool evaluated = false;  // at x
  for (std::size_t i = 0; i < table_.stages.size(); ++i) {
    const auto& [kind, weight] = table_.stages[i];
    if (kind == Kind::drift) {
      work_.x1 = *x + (weight * h) * *v;
      x = &work_.x1;
      t += weight * h;
      evaluated = false;
      continue;
    }
    const Vector& gradient = evaluated ? potential_.last_gradient() : potential_.gradient(*x);
    evaluated = true;
    ++report.solver_work.evaluations;
    if (!kick(i, t, weight * h, *x, gradient, v, account)) {
      report.status = StepStatus::not_converged;
      return report;
    }
  }
  own(x, work_.x1);
  own(v, work_.v1);
  // With the gradient, since the next step's first kick will want it here.
  if (!evaluated) potential_.gradient(work_.x1);
  end_.invariants = invariants(system_, work_.x1, work_.v1, potential_.last_values());
  end_.v = work_.v1;
  end_.known = true;
  commit(report, state, work_.x1, work_.v1, end_.invariants, [&] {
    if (!system_.motions().empty()) {
      work_.moved = work_.x1 - state.x;
      work_.moved_scratch.resize(work_.moved.size());
      account.prescribed =
          prescribed_work(assembler_.world(), state.x, work_.moved, work_.moved_scratch);
    }
    return account;  // (2)
  });
  return report;
}

// From the velocity v, which is in work_.v1 after it.
bool ExplicitIntegrator::kick(std::size_t stage, double t, double h, const Vector& x,
                              const Vector& gradient, const Vector*& v, StepAccount& account) {
  double power = inner(system_, gradient, *v);
  if (forced_) {
    own(v, work_.v1);
    if (!forced_kick(stage, t, h, x, gradient, work_.v1, account)) return false;
  } else {
    system_.mass().kick(*v, -h, gradient, work_.v1);
    v = &work_.v1;
  }
  power += inner(system_, gradient, work_.v1);
  account.potential -= 0.5 * h * power;  // (1)
  return true;
}

void ExplicitIntegrator::add_all_forces(double t, const Vector& x, const Vector& v, double share,
                                        Vector& total, Vector& dissipated) {
  add_forces(system_, span_, t, x, v, share, work_.scratch, total);
  if (dissipation_.empty()) return;
  work_.scratch.setZero();
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    dissipation_.value_and_gradient(which, v, -share, work_.scratch);
  }
  total += work_.scratch;
  dissipated += work_.scratch;
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
  work_.before.setZero();
  work_.before_dissipated.setZero();
  if (share_after != 1) {
    add_all_forces(t, x, v, 1 - share_after, work_.before, work_.before_dissipated);
  }
  work_.kicked = v;
  double last_change = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxForceIterations; ++k) {
    work_.force = work_.before;
    work_.dissipated = work_.before_dissipated;
    if (share_after != 0)
      add_all_forces(t, x, work_.kicked, share_after, work_.force, work_.dissipated);
    system_.mass().kick(v, h, work_.force - gradient, work_.scratch);
    const double change = std::sqrt(sum_over(system_, [&](int first, int last) {
      const auto part = [&](const Vector& u) { return u.segment(first, last - first); };
      return (part(work_.scratch) - part(work_.kicked)).squaredNorm();
    }));
    work_.kicked.swap(work_.scratch);
    // Done when only rounding errors move it any more.
    if (share_after == 0 || change == 0 ||
        (change >= last_change &&
         change <= 1e-14 * std::sqrt(inner(system_, work_.kicked, work_.kicked)))) {
      work_.scratch = 0.5 * (v + work_.kicked);
      const double dissipation = h * inner(system_, work_.dissipated, work_.scratch);
      double driven = 0;
      for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
        driven -= h * (1 - share_after) * dissipation_.driven_power(which, v);
        driven -= h * share_after * dissipation_.driven_power(which, work_.kicked);
      }
      account.dissipation += dissipation;
      account.driven += driven;
      account.force += h * inner(system_, work_.force, work_.scratch) - dissipation;
      v.swap(work_.kicked);
      return true;
    }
    if (change >= 2 * last_change) return false;
    last_change = change;
  }
  return false;
}

}  // namespace lilyan
