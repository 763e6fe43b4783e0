// States between two steps: where an event happens, and at the times output is wanted.
//
// They are found by a shortened step of the same method from the step's start, not by
// interpolation: such a state keeps what the method keeps. The run itself goes on with its full
// steps.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/integrate/integrator.hpp"
#include "lilyan/scene/scene.hpp"

namespace lilyan {

// An event of the scene that happened, and the state there.
struct EventHit {
  int event = 0;
  State state;
};

class BetweenSteps {
 public:
  // The scene must outlive this.
  explicit BetweenSteps(const Scene& scene);

  // Whether there is anything to find, so that the start of each step must be kept.
  [[nodiscard]] bool wanted() const { return events_ || interval_ > 0; }
  void start(const State& initial);

  // After the step from `before` to `after`: the events in between, in the order of their times.
  [[nodiscard]] const std::vector<EventHit>& events(const State& before, const State& after);
  // The states at those multiples of the interval of output that lie in (before.t, after.t].
  [[nodiscard]] const std::vector<State>& samples(const State& before, const State& after);

 private:
  // The state at t, which is within the step.
  [[nodiscard]] State at(const State& before, const State& after, double t);
  [[nodiscard]] State locate(const State& before, const State& after, int event, double f0);

  const Scene& scene_;
  bool events_;
  double interval_;
  long next_sample_ = 1;
  double first_time_ = 0;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> before_values_, after_values_;
  std::vector<EventHit> hits_;
  std::vector<State> samples_;
};

}  // namespace lilyan
