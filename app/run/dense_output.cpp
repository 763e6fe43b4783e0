#include "app/run/dense_output.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <utility>

#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"

namespace lilyan {
namespace {

bool crosses(ObservedEvent::Direction direction, double before, double after) {
  const bool rises = before < 0 && after >= 0;
  const bool falls = before > 0 && after <= 0;
  switch (direction) {
    case ObservedEvent::Direction::rising: return rises;
    case ObservedEvent::Direction::falling: return falls;
    case ObservedEvent::Direction::both: break;
  }
  return rises || falls;
}

}  // namespace

DenseOutput::DenseOutput(const Scene& scene)
    : scene_(scene),
      has_events_(scene.small().observables && !scene.small().observables->events.empty()),
      interval_(scene.settings.output.interval) {
  if (wanted())
    integrator_ = make_integrator(*scene.system, scene.settings.scheme, scene.settings.solver);
}

DenseOutput::~DenseOutput() = default;

void DenseOutput::start(const State& initial) {
  first_time_ = initial.t;
  next_sample_ = 1;
  if (!has_events_) return;
  const std::size_t count = scene_.small().observables->events.size();
  const double* values = scene_.small().observables->event_values(initial);
  after_values_.assign(values, values + count);
  before_values_ = after_values_;
}

void DenseOutput::archive(Archive& a) {
  const std::size_t events = after_values_.size();
  a(next_sample_, first_time_, after_values_);
  Archive::require(after_values_.size() == events);
  if (integrator_) integrator_->archive(a);
}

StepReport DenseOutput::step_until(State& state, double t) {
  const double h = (t - state.t) / pieces_;
  StepReport report = step_with_halving(*integrator_, state, h, scene_.settings.max_halvings);
  for (int k = 1; k < pieces_ && succeeded(report.status); ++k) {
    report.append(step_with_halving(*integrator_, state, h, scene_.settings.max_halvings));
  }
  report.h = h * pieces_;
  state.t = t;
  return report;
}

State DenseOutput::state_at(const State& before, const State& after, double t) {
  if (t == after.t) return after;
  State state = before;
  if (t == before.t) return state;
  // A shorter step is easier to solve than the one that worked. Should it fail nevertheless, the end
  // of the step is the best state there is.
  return succeeded(step_until(state, t).status) ? state : after;
}

bool DenseOutput::locate(const State& before, const State& after, int event, State& found) {
  const auto value = [&](const State& state) {
    return scene_.small().observables->event_values(state)[event];
  };
  const double f0 = before_values_[static_cast<std::size_t>(event)];
  const double f1 = after_values_[static_cast<std::size_t>(event)];
  if (f1 == 0) {
    found = after;
    return true;
  }
  std::uintmax_t most = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      [&](double t) { return value(state_at(before, after, t)); }, before.t, after.t, f0, f1,
      boost::math::tools::eps_tolerance<double>(), most);
  State a = state_at(before, after, low);
  State b = state_at(before, after, high);
  found = std::abs(value(a)) < std::abs(value(b)) ? std::move(a) : std::move(b);
  return std::abs(value(found)) <= std::max(std::abs(f0), std::abs(f1));
}

const std::vector<EventHit>& DenseOutput::events(const State& before, const State& after,
                                                 int pieces) {
  hits_.clear();
  pieces_ = scene_.settings.control.kind == StepControlKind::error ? 2 : pieces;
  if (!has_events_) return hits_;
  const auto& events = scene_.small().observables->events;
  before_values_ = after_values_;
  const double* values = scene_.small().observables->event_values(after);
  after_values_.assign(values, values + events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!crosses(events[i].direction, before_values_[i], after_values_[i])) continue;
    EventHit hit{.event = static_cast<int>(i)};
    if (locate(before, after, hit.event, hit.state)) hits_.push_back(std::move(hit));
  }
  std::ranges::stable_sort(hits_, {}, [](const EventHit& hit) { return hit.state.t; });
  return hits_;
}

StepReport DenseOutput::step_to(const State& before, const EventHit& hit, State& state) {
  state = before;
  StepReport report = step_until(state, hit.state.t);
  state = hit.state;
  return report;
}

const std::vector<State>& DenseOutput::samples(const State& before, const State& after) {
  samples_.clear();
  if (interval_ <= 0) return samples_;
  // A multiple that differs from the end of the step by rounding errors is the end of the step.
  const double slack = 1e-9 * std::min(interval_, after.t - before.t);
  for (double t;
       (t = first_time_ + static_cast<double>(next_sample_) * interval_) <= after.t + slack;
       ++next_sample_) {
    samples_.push_back(std::abs(t - after.t) <= slack ? after : state_at(before, after, t));
  }
  return samples_;
}

}  // namespace lilyan
