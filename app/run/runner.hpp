// Running a scene from its first step to its last.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/run/dense_output.hpp"
#include "app/run/run_summary.hpp"
#include "app/run/watcher.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Ensemble;
class StepControl;
struct Scene;

// A run as an observer sees it: after every step, and once before the first (step 0, no report).
struct RunMoment {
  int step;
  const State& state;
  const Invariants& invariants;
  const StepReport* report;
  const DriftTracker& drift;
  const RunSummary& so_far;
  bool last;  // the end of the run is reached
  // Found by dense output between the step before and this one, where the scene asks for it.
  std::span<const EventHit> events;
  std::span<const State> samples;
  const Ensemble* ensemble = nullptr;  // at the same time; none: the scene has no further orbits
};

// Processor time of the calling thread so far.
[[nodiscard]] double thread_seconds();

// A run step by step, for callers who do something else in between.
class SceneRun {
 public:
  // Scene and drift tracker must outlive this; the tracker is told each step. When `stop` is set,
  // from any thread, the run ends: after the current step, which of a large system is given up at its
  // next iteration.
  SceneRun(const Scene& scene, DriftTracker& drift, const std::atomic<bool>* stop = nullptr);
  // From another initial state, without the scene's further orbits.
  SceneRun(const Scene& scene, DriftTracker& drift, const State& initial,
           const std::atomic<bool>* stop);
  ~SceneRun();

  // Before the first step, or where the run goes on from.
  [[nodiscard]] RunMoment start();
  // Whether there is nothing left to do: the end is reached, or the run failed or was stopped.
  [[nodiscard]] bool done() const;
  // The next step; nothing when it failed or was stopped, which the summary then says. Its
  // references are good until the next call.
  [[nodiscard]] std::optional<RunMoment> step();
  // Ends the run. The first reason is the one that counts.
  void fail(std::string message, bool diverged = false);
  // To be called when the scene has another system, which differs in its forces. The one before must still be there.
  void system_changed();
  // Between two steps: the state, to be changed by hand except for its time. To be called then: state_changed,
  // which forgets the steps before.
  [[nodiscard]] State& editable_state() { return state_; }
  void state_changed();
  // No step goes beyond this time, and one that would is shorter.
  void end_at(double t) { end_ = t; }
  // Lets a run go on that was interrupted.
  void go_on();

  // Between two steps: all that the rest of the run depends on, and the drift tracker. A new run of the
  // same scene that loads it goes on bit for bit as this one would; it may have more steps.
  void archive(Archive& a);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const RunSummary& summary() const { return summary_; }
  // Null without further orbits.
  [[nodiscard]] const Ensemble* ensemble() const { return ensemble_.get(); }
  // The summary, with the times taken so far.
  const RunSummary& finish();
  void interrupt() { summary_.end = RunEnd::interrupted; }

 private:
  [[nodiscard]] bool at_end() const;
  void take_processor_time();
  void make_steps();
  bool advance();
  [[nodiscard]] std::span<const EventHit> take_events();
  void take_in();

  using Clock = std::chrono::steady_clock;
  struct Spent {
    Clock::time_point begun = Clock::now();
    double processor_begun = thread_seconds();
    std::thread::id thread = std::this_thread::get_id();
    // Of the run that this one goes on from.
    double earlier_seconds = 0;
    double earlier_processor = 0;
    int earlier_steps = 0;
  };

  const Scene& scene_;
  DriftTracker& drift_;
  const std::atomic<bool>* stop_;
  State state_;  // after the last good step
  RunSummary summary_;
  double end_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<StepControl> control_;
  DenseOutput dense_output_;
  std::vector<std::unique_ptr<RunWatcher>> watchers_;
  std::unique_ptr<Ensemble> ensemble_;
  State before_;
  StepReport report_;
  bool ended_ = false;  // by an event
  // Large systems: what a step that is given up has to leave as it was.
  bool may_give_up_;
  std::string before_step_;
  Spent spent_;
};

// A number for the state of a shared scene, the same however many processes share it if they agree to the last
// bit.
[[nodiscard]] double shared_digest(const Scene& scene, const State& state);

// Called in the order of the steps, from one thread. Returning false ends the run after this step.
using RunObserver = std::function<bool(const RunMoment&)>;

// Makes all steps that are left. The observer also sees the start of a run that begins there. If it throws
// because results cannot be written, or because memory is not enough, the run has failed. Returns the
// summary of the run.
const RunSummary& run_to_end(SceneRun& run, const RunObserver& observer);

struct FinishedRun : RunSummary {
  State state;  // after the last good step
};
// Advances the scene's initial state by its steps, or over its duration with step control. Setting `stop`
// ends the run (SceneRun says when).
FinishedRun run_scene(const Scene& scene, DriftTracker& drift, const RunObserver& observer,
                      const std::atomic<bool>* stop = nullptr);

}  // namespace lilyan
