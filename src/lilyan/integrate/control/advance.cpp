#include "lilyan/integrate/integrator.hpp"

namespace lilyan {

StepReport advance(Integrator& integrator, State& state, double h, int max_halvings) {
  StepReport whole = integrator.step(state, h);
  const bool may_retry = whole.status != StepStatus::stopped && max_halvings > 0;
  if (succeeded(whole.status) || !may_retry) return whole;

  const State start = state;
  StepReport halves = advance(integrator, state, h / 2, max_halvings - 1);
  if (succeeded(halves.status)) {
    halves.append(advance(integrator, state, h / 2, max_halvings - 1));
  }
  // The failed attempt's work counts too.
  halves.add_work(whole);
  if (!succeeded(halves.status)) {
    state = start;
    halves.h = h;
    halves.after = halves.before;
    halves.ledger = {};
  }
  return halves;
}

}  // namespace lilyan
