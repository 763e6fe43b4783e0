#include "lilyan/integrate/explicit.hpp"

#include <cmath>
#include <utility>

#include "lilyan/core/fixed.hpp"
#include "lilyan/diagnose/invariants.hpp"

namespace lilyan {

ExplicitIntegrator::ExplicitIntegrator(const System& system, ExplicitTable table)
    : system_(system),
      table_(std::move(table)),
      assembler_(system),
      potential_(assembler_),
      inverse_mass_(system.mass().cwiseInverse()) {}

StepReport ExplicitIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_fixed(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));

  // The old state goes into the history, from where a failed step takes it back.
  Vector& x = state.x;
  Vector& v = state.v;
  state.x_previous = x;
  state.v_previous = v;
  for (const ExplicitTable::Stage& stage : table_.stages) {
    if (stage.kind == ExplicitTable::Stage::Kind::drift) {
      x += (stage.weight * h) * v;
    } else {
      const Vector& gradient = potential_.gradient(x);
      v.array() -= (stage.weight * h) * inverse_mass_.array() * gradient.array();
      ++report.evaluations;
    }
  }
  // With the gradient, since the next step's first kick will want it here.
  potential_.gradient(x);
  report.after = invariants(system_, x, v, potential_.values(x));
  if (!std::isfinite(report.after.total)) {
    report.status = StepStatus::non_finite;
    report.after = report.before;
    x.swap(state.x_previous);
    v.swap(state.v_previous);
    state.h_previous = 0;
    return report;
  }
  report.ledger.method = report.after.total - report.before.total;
  state.h_previous = h;
  state.t += h;
  return report;
}

}  // namespace lilyan
