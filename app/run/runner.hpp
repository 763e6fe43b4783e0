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

#include "app/run/body_spins.hpp"
#include "app/run/contact_depth.hpp"
#include "app/run/dense_output.hpp"
#include "app/run/tunnelling.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/saving/digest.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

class Ensemble;
class StepControl;
struct Scene;

enum class RunEnd {
  finished,     // all steps done
  event,        // an event of the scene ended it
  failed,       // a step could not be solved; everything up to it was handed out
  interrupted,  // the observer asked to stop, or a stop was asked for within a step
};
[[nodiscard]] std::string_view name(RunEnd end);

struct RunSummary {
  RunEnd end = RunEnd::finished;
  std::string message;  // why it failed, or which event ended it
  bool diverged =
      false;      // it failed because a step could not be solved, or not with finite numbers
  int steps = 0;  // done
  double t = 0;
  double wall_seconds = 0;
  double step_seconds = 0;       // of these, in the integrator
  double processor_seconds = 0;  // of the thread that made the run; 0: it was made by several
  SolverWork solver_work;
  int halved_steps = 0;    // steps that succeeded only in smaller pieces
  int rejected_steps = 0;  // given up for a shorter one by the step control
  double shortest_step = 0;
  double longest_step = 0;
  int round_off_steps = 0;  // steps solved to rounding error rather than to tolerance
  int fewest_points = 0;    // points of steps with an adaptive quadrature
  int most_points = 0;
  State state;  // after the last good step
  Invariants invariants;
  Ledger ledger;
  bool chooses_points = false;  // the method chooses its points of quadrature itself
  double worst_imbalance = 0;   // largest |H₁ − H₀ − ledger| of a step
  NewtonTimes times;
  std::string linear_solver;  // of the last step
  // Steps by which another linear solver had been taken, and which; the first hundred of them.
  struct SolverSwitch {
    int step = 0;
    std::string from, to;
    void archive(Archive& a) { a(step, from, to); }
  };
  std::vector<SolverSwitch> switches;
  Digest digest;      // of all states so far
  long passages = 0;  // of vertices through obstacles, within one step
  // How far the deepest vertex is beyond where contact begins, now and at worst; and the latter as a share
  // of its body's size.
  double contact_depth = 0;
  double deepest = 0;
  double deepest_share = 0;
  double asked_there = 0;  // the depth that the contact was told there; 0: it was told a stiffness
  ContactDepth::Beyond beyond;
  double longest_to_obstacle = 0;  // longest step towards an obstacle, over its thickness
  long passages_of_bodies = 0;     // of vertices through other bodies' surfaces
  // Bodies that keep an angular momentum of their own while they are apart, where there are several.
  std::vector<BodySpins::Body> bodies;
  // The one of those whose angular momentum went wrong most; null where none was ever apart.
  [[nodiscard]] const BodySpins::Body* worst_body() const;
  // The further orbits, at the end of the run.
  struct OrbitEnd {
    std::string start;  // how it differs from the first: "y = 0.1, x' = 0.47"
    Deviation energy;
    int steps = 0;
    std::string failed;  // why; empty: it did not
  };
  std::vector<OrbitEnd> orbits;
  // The one whose energy went wrong most. There must be some.
  [[nodiscard]] std::size_t worst_orbit() const;

  void archive(Archive& a);
};

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
  // To be called when something was added to the system.
  void system_changed();
  // Between two steps: the state, to be changed by hand except for its time. To be called then: state_changed,
  // which forgets the steps before.
  [[nodiscard]] State& editable_state() { return summary_.state; }
  void state_changed();
  // No step goes beyond this time, and one that would is shorter.
  void end_at(double t) { end_ = t; }
  // Lets a run go on that was interrupted.
  void go_on();

  // Between two steps: all that the rest of the run depends on, and the drift tracker. A new run of the
  // same scene that loads it goes on bit for bit as this one would; it may have more steps.
  void archive(Archive& a);

  [[nodiscard]] const State& state() const { return summary_.state; }
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
  void tell_depth();

  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
  double processor_begun_ = thread_seconds();
  std::thread::id thread_ = std::this_thread::get_id();
  const Scene& scene_;
  DriftTracker& drift_;
  const std::atomic<bool>* stop_;
  RunSummary summary_;
  double end_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<StepControl> control_;
  DenseOutput dense_output_;
  TunnelWatch tunnels_;
  ContactDepth depth_;
  BodySpins spins_;
  std::unique_ptr<Ensemble> ensemble_;
  State before_;
  StepReport report_;
  bool ended_ = false;  // by an event
  // Large systems: what a step that is given up has to leave as it was.
  bool may_give_up_;
  std::string before_step_;
  double earlier_seconds_ = 0;  // of the run that this one goes on from
  double earlier_processor_ = 0;
  int earlier_steps_ = 0;
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

// Advances scene.initial by scene.steps steps, or over scene.duration with step control. Setting `stop`
// ends the run (SceneRun says when).
RunSummary run_scene(const Scene& scene, DriftTracker& drift, const RunObserver& observer,
                     const std::atomic<bool>* stop = nullptr);

}  // namespace lilyan
