#include "lilyan/step/compose.hpp"

#include <utility>

namespace lilyan {

ComposeIntegrator::ComposeIntegrator(std::unique_ptr<Integrator> base,
                                     std::vector<double> fractions)
    : base_(std::move(base)), fractions_(std::move(fractions)) {}

StepReport ComposeIntegrator::step(State& state, double h) {
  start_ = state;
  const TimeSpan span = span_of_step(state, h);
  base_->part_of(&span);
  StepReport whole = base_->step(state, fractions_.front() * h);
  for (std::size_t i = 1; i < fractions_.size() && succeeded(whole.status); ++i) {
    whole.append(base_->step(state, fractions_[i] * h));
  }
  base_->part_of(nullptr);
  whole.h = h;
  whole.substeps = 1;  // they are the method's own, not a failed step's
  if (!succeeded(whole.status)) {
    state = start_;
    whole.after = whole.before;
    whole.ledger = {};
    return whole;
  }
  state.t = start_.t + h;
  state.h_previous = h;
  state.x_previous.swap(start_.x);
  state.v_previous.swap(start_.v);
  return whole;
}

}  // namespace lilyan
