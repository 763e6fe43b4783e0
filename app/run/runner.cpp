#include "app/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <new>
#include <utility>

#include "app/files/file.hpp"
#include "app/files/series.hpp"
#include "app/run/body_spins.hpp"
#include "app/run/contact_depth.hpp"
#include "app/run/ensemble.hpp"
#include "app/run/tunnelling.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/step/capabilities.hpp"

namespace lilyan {
namespace {

using Clock = std::chrono::steady_clock;

// Coordinates from which a step may take so long that nobody wants to wait for its end.
constexpr int kLargeSystem = 300;

double in_seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

bool stops(const Scene& scene, const EventHit& hit) {
  return scene.small().observables->events[static_cast<std::size_t>(hit.event)].stops;
}

}  // namespace

std::vector<std::unique_ptr<RunWatcher>> make_watchers(const Scene& scene,
                                                       const DriftTracker& drift) {
  std::vector<std::unique_ptr<RunWatcher>> watchers;
  watchers.push_back(std::make_unique<TunnelWatch>(scene));
  watchers.push_back(std::make_unique<ContactDepth>(scene));
  watchers.push_back(std::make_unique<ContactGap>(scene));
  watchers.push_back(std::make_unique<BodySpins>(scene, drift));
  return watchers;
}

double shared_digest(const Scene& scene, const State& state) {
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < scene.shared->parts.size(); ++b) {
    const BodyPart& part = scene.shared->parts[b];
    for (int i = 0; i < part.owned; ++i) {
      Digest one;
      one.add(static_cast<double>(b));
      one.add(static_cast<double>(part.number[static_cast<std::size_t>(i)]));
      const Eigen::Index at = 3 * (Eigen::Index{scene.shared->first[b]} + i);
      for (int c = 0; c < 3; ++c) {
        one.add(state.x[at + c]);
        one.add(state.v[at + c]);
      }
      sum += one.value();
    }
  }
  // Sums of halves are exact, and the same in any order.
  std::array<double, 2> halves = {static_cast<double>(sum >> 32),
                                  static_cast<double>(sum & 0xFFFFFFFFU)};
  scene.shared->ranks->sum(halves);
  const std::uint64_t all =
      (static_cast<std::uint64_t>(halves[0]) << 32) + static_cast<std::uint64_t>(halves[1]);
  return std::bit_cast<double>(all);
}

SceneRun::SceneRun(const Scene& scene, DriftTracker& drift, const std::atomic<bool>* stop)
    : SceneRun(scene, drift, scene.initial, stop) {
  if (!scene.small().orbits.empty()) ensemble_ = std::make_unique<Ensemble>(scene, stop);
}

SceneRun::SceneRun(const Scene& scene, DriftTracker& drift, const State& initial,
                   const std::atomic<bool>* stop)
    : scene_(scene),
      drift_(drift),
      stop_(stop),
      end_(scene.initial.t + scene.settings.duration),
      dense_output_(scene),
      watchers_(make_watchers(scene, drift)),
      may_give_up_(stop && scene.system->dofs() >= kLargeSystem) {
  make_steps();
  state_ = initial;
  summary_.t = initial.t;
  summary_.invariants = drift.start();
  summary_.linear_solver = integrator_->linear_solver();
  summary_.chooses_points = chooses_points(scene.settings.scheme);
  dense_output_.start(state_);
  for (const auto& watcher : watchers_) {
    watcher->begin(state_);
    watcher->report(summary_);
  }
}

SceneRun::~SceneRun() = default;

void SceneRun::make_steps() {
  SolverOptions options = scene_.settings.solver;
  options.newton.stop = may_give_up_ ? stop_ : nullptr;
  control_.reset();
  std::string memory;  // of the integrator before this one
  if (integrator_) {
    Archive a(&memory);
    integrator_->archive_memory(a);
  }
  integrator_ = make_integrator(*scene_.system, scene_.settings.scheme, options);
  if (!memory.empty()) {
    Archive a(std::string_view{memory});
    integrator_->archive_memory(a);
  }
  control_ = make_step_control(*integrator_, *scene_.system, scene_.settings.scheme,
                               scene_.settings.control);
}

void SceneRun::system_changed() {
  make_steps();
  for (const auto& watcher : watchers_) watcher->change(state_);
}

void SceneRun::state_changed() {
  State& state = state_;
  state.h_previous = 0;
  system_changed();
  summary_.invariants = lilyan::invariants(*scene_.system, state);
  dense_output_.start(state);
}

void SceneRun::archive(Archive& a) {
  a.mark("run");
  if (!a.loading() && summary_.steps != spent_.earlier_steps) take_processor_time();
  a(summary_);
  // Of a shared scene each process has only a part of the state, which is saved in another way.
  if (!scene_.shared) a(state_);
  a(drift_, *control_);
  const State& state = state_;
  const auto dofs = scene_.initial.x.size();
  Archive::require(state.x.size() == dofs && state.v.size() == dofs);
  for (const Vector* before : {&state.x_previous, &state.v_previous}) {
    Archive::require(before->size() == dofs || (before->size() == 0 && state.h_previous == 0));
  }
  integrator_->archive(a);
  a(dense_output_);
  for (const auto& watcher : watchers_) watcher->archive(a);
  a(ended_);
  if (ensemble_) a(*ensemble_);
  if (!a.loading()) return;
  for (const auto& watcher : watchers_) watcher->report(summary_);
  spent_.earlier_seconds = summary_.wall_seconds;
  spent_.earlier_processor = summary_.processor_seconds;
  spent_.earlier_steps = summary_.steps;
  spent_.begun = Clock::now();
  spent_.processor_begun = thread_seconds();
}

void SceneRun::take_processor_time() {
  const bool alone = threads() == 1 && std::this_thread::get_id() == spent_.thread;
  summary_.processor_seconds =
      alone ? spent_.earlier_processor + thread_seconds() - spent_.processor_begun : 0;
}

void SceneRun::go_on() {
  if (summary_.end == RunEnd::interrupted) summary_.end = RunEnd::finished;
}

bool SceneRun::at_end() const {
  return scene_.settings.variable_steps() ? summary_.t >= end_
                                          : summary_.steps == scene_.settings.steps;
}

bool SceneRun::done() const {
  return ended_ || summary_.end == RunEnd::failed || summary_.end == RunEnd::interrupted ||
         at_end();
}

void SceneRun::fail(std::string message, bool diverged) {
  if (summary_.end == RunEnd::failed) return;
  summary_.diverged = diverged;
  summary_.end = RunEnd::failed;
  summary_.message = std::move(message);
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

RunMoment SceneRun::start() {
  return {summary_.steps, state_, summary_.invariants, nullptr, drift_, summary_, at_end(), {}, {},
          ensemble_.get()};
}

// Takes the step into report_; false when it failed or was stopped.
bool SceneRun::advance() {
  const int step = summary_.steps + 1;
  const State& state = state_;
  if (stop_ && stop_->load(std::memory_order_relaxed)) {
    summary_.end = RunEnd::interrupted;
    return false;
  }
  if (may_give_up_) {
    Archive a(&before_step_);
    a(*control_);
    integrator_->archive(a);
  }
  const Clock::time_point before = Clock::now();
  try {
    report_ = control_->step(state_, end_);
  } catch (...) {  // a factor that does not fit into memory, say
    fail(fmt::format("step {} (t = {:.6g}): {}", step, state.t, reason_of_failure()));
    return false;
  }
  // A step that was given up is no step: nothing of it counts.
  if (report_.status == StepStatus::stopped) {
    Archive a{std::string_view(before_step_)};
    a(*control_);
    integrator_->archive(a);
    summary_.end = RunEnd::interrupted;
    return false;
  }
  const Clock::time_point after = Clock::now();
  summary_.step_seconds += in_seconds(after - before);
  summary_.wall_seconds = spent_.earlier_seconds + in_seconds(after - spent_.begun);
  summary_.rejected_steps = control_->rejected();
  if (succeeded(report_.status)) return true;
  summary_.add(report_);
  fail(fmt::format("step {} (t = {:.6g}, h = {:.4g}) {}{}", step, state.t, report_.h,
                   describe(report_.status), control_->attempts()),
       true);
  return false;
}

// The events of the step, up to the first that ends the run: then the step ends there.
std::span<const EventHit> SceneRun::take_events() {
  if (!dense_output_.wanted()) return {};
  const std::vector<EventHit>& all = dense_output_.events(before_, state_, report_.substeps);
  const auto last = std::ranges::find_if(all, [&](const EventHit& h) { return stops(scene_, h); });
  ended_ = last != all.end();
  if (!ended_) return all;
  report_ = dense_output_.step_to(before_, *last, state_);
  summary_.end = RunEnd::event;
  summary_.message = fmt::format(
      "event '{}' at t = {:.17g}",
      scene_.small().observables->events[static_cast<std::size_t>(last->event)].name, state_.t);
  return {all.begin(), last + 1};
}

// Adds the step to all that follows the run.
void SceneRun::take_in() {
  summary_.add(report_);
  for (const auto& watcher : watchers_) {
    if (!watcher->wanted()) continue;
    watcher->step({before_, state_, integrator_->memory(), report_.substeps});
    watcher->report(summary_);
  }
  summary_.take_solver(summary_.steps, integrator_->linear_solver());
  summary_.t = state_.t;
  summary_.digest.add(state_.t);
  if (scene_.shared) {
    summary_.digest.add(shared_digest(scene_, state_));
  } else {
    summary_.digest.add(state_.x);
    summary_.digest.add(state_.v);
  }
  summary_.invariants = report_.after;
  drift_.add(state_, report_.after, summary_.ledger.work + summary_.ledger.dissipation,
             report_.rounding);
}

std::optional<RunMoment> SceneRun::step() {
  const auto wanted = [](const auto& watcher) { return watcher->wanted(); };
  if (dense_output_.wanted() || std::ranges::any_of(watchers_, wanted)) before_ = state_;
  if (!advance()) return {};
  ++summary_.steps;
  // Counting equal steps rather than summing them keeps t exact. The last two of a run may have another length, and
  // the last one ends at the time that was asked for.
  if (!scene_.settings.variable_steps() && report_.h == scene_.settings.step) {
    state_.t = summary_.steps == scene_.settings.steps
                   ? end_
                   : scene_.initial.t + summary_.steps * scene_.settings.step;
  }
  const std::span<const EventHit> events = take_events();
  take_in();
  const std::span<const State> samples = dense_output_.samples(before_, state_);
  if (ensemble_) ensemble_->advance(state_.t);
  return RunMoment{summary_.steps, state_, report_.after, &report_, drift_,
                   summary_,       done(), events,        samples,  ensemble_.get()};
}

const RunSummary& SceneRun::finish() {
  summary_.times = integrator_->times();
  if (ensemble_) summary_.orbits = ensemble_->ends();
  summary_.wall_seconds = spent_.earlier_seconds + in_seconds(Clock::now() - spent_.begun);
  take_processor_time();
  return summary_;
}

const RunSummary& run_to_end(SceneRun& run, const RunObserver& observer) {
  bool go_on = true;
  try {
    go_on = run.summary().steps > 0 || observer(run.start());
    while (go_on && !run.done()) {
      const std::optional<RunMoment> moment = run.step();
      if (moment) go_on = observer(*moment);
    }
  } catch (const NotFinite& error) {
    run.fail(error.what(), true);
  } catch (...) {
    run.fail(reason_of_failure());
  }
  if (!go_on && !run.done()) run.interrupt();
  return run.finish();
}

FinishedRun run_scene(const Scene& scene, DriftTracker& drift, const RunObserver& observer,
                      const std::atomic<bool>* stop) {
  SceneRun run(scene, drift, stop);
  return {run_to_end(run, observer), run.state()};
}

}  // namespace lilyan
