// The end of a step, the same for every method.
#pragma once

#include <cmath>

#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/step/account.hpp"

namespace lilyan {

// Moves the state to the end (x1, v1) of a step whose invariants are `after`, and what it was
// before becomes its history. `account` is called while the state is still at the start of the step.
// When the end is not finite the report says so and the state stays where it is.
template <class MakeAccount>
void commit(StepReport& report, State& state, const Vector& x1, const Vector& v1,
            const Invariants& after, const MakeAccount& account) {
  if (!std::isfinite(after.total)) {
    report.status = StepStatus::non_finite;
    return;
  }
  report.after = after;
  report.ledger = ledger_of(account(), report);
  if (report.status == StepStatus::round_off) report.rounding += std::abs(report.ledger.solver);
  // The numbers move and not the memory: whoever looks at a state's vectors (Python does) sees every step.
  const auto move_on = [](Vector& previous, Vector& now, const Vector& next) {
    previous = now;
    now = next;
  };
  move_on(state.x_previous, state.x, x1);
  move_on(state.v_previous, state.v, v1);
  state.h_previous = report.h;
  state.t += report.h;
}

}  // namespace lilyan
