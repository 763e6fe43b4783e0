// Dense output: states between two steps, where an event happens and at the times output is wanted.
//
// A state within a step is found by a shortened step of the same method from the step's start, not by
// interpolation: it keeps what the method keeps. The run itself goes on with its full steps.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Integrator;
struct Scene;

// An event of the scene that happened, and the state there.
struct EventHit {
  int event = 0;
  State state;
};

class DenseOutput {
 public:
  // The scene must outlive this.
  explicit DenseOutput(const Scene& scene);
  ~DenseOutput();

  // Whether there is anything to find, so that the start of each step must be kept.
  [[nodiscard]] bool wanted() const { return has_events_ || interval_ > 0; }
  void start(const State& initial);

  // The events of the step from `before` to `after`, in the order of their times; the step was taken
  // in so many pieces.
  [[nodiscard]] const std::vector<EventHit>& events(const State& before, const State& after,
                                                    int pieces);
  // Steps from `before` to an event that ends the run, instead of the full step.
  [[nodiscard]] StepReport step_to(const State& before, const EventHit& hit, State& state);
  // The states at those multiples of the output interval that lie in (before.t, after.t].
  [[nodiscard]] const std::vector<State>& samples(const State& before, const State& after);
  void archive(Archive& a);

 private:
  // Steps from the start of a step to a time within it, in as many pieces as the step took.
  StepReport step_until(State& state, double t);
  // The state at a time t within the step.
  [[nodiscard]] State state_at(const State& before, const State& after, double t);
  // Finds the state where an event function is zero; false when it has a pole instead.
  bool locate(const State& before, const State& after, int event, State& found);

  const Scene& scene_;
  bool has_events_;
  double interval_;
  int pieces_ = 1;
  long next_sample_ = 1;
  double first_time_ = 0;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> before_values_, after_values_;  // of the event functions
  std::vector<EventHit> hits_;
  std::vector<State> samples_;
};

}  // namespace lilyan
