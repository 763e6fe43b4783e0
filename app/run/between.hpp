// States between two steps: where an event happens, and at the times output is wanted.
//
// They are found by a shortened step of the same method from the step's start, not by
// interpolation: such a state keeps what the method keeps. The run itself goes on with its full
// steps.
#pragma once

#include <memory>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/integrate/integrator.hpp"

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

  // After the step from `before` to `after`, which took so many pieces: the events in between, in
  // the order of their times.
  [[nodiscard]] const std::vector<EventHit>& events(const State& before, const State& after,
                                                    int pieces);
  // The step to an event, that ends the run, instead of the full one.
  [[nodiscard]] StepReport step_to(const State& before, const EventHit& hit, State& state);
  // The states at those multiples of the interval of output that lie in (before.t, after.t].
  [[nodiscard]] const std::vector<State>& samples(const State& before, const State& after);

 private:
  // From the start of a step to a time within it, in as many pieces as the step took.
  StepReport go(State& state, double t);
  // The state at t, which is within the step.
  [[nodiscard]] State at(const State& before, const State& after, double t);
  // False when there is none: a pole.
  bool locate(const State& before, const State& after, int event, State& found);

  const Scene& scene_;
  bool events_;
  double interval_;
  int pieces_ = 1;
  long next_sample_ = 1;
  double first_time_ = 0;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> before_values_, after_values_;
  std::vector<EventHit> hits_;
  std::vector<State> samples_;
};

}  // namespace lilyan
