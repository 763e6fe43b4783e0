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
#include "app/run/ensemble.hpp"
#include "app/scene/distribution.hpp"
#include "app/scene/observables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

std::string_view name(RunEnd end) {
  switch (end) {
    case RunEnd::finished: return "finished";
    case RunEnd::event: return "event";
    case RunEnd::failed: return "failed";
    case RunEnd::interrupted: return "interrupted";
  }
  return "";
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSwitches = 100;  // that the summary names
// Coordinates from which a step may take so long that nobody wants to wait for its end.
constexpr int kLargeSystem = 300;

double in_seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void add_to_summary(RunSummary& summary, const StepReport& report) {
  summary.solver_work += report.solver_work;
  if (!succeeded(report.status)) return;
  if (report.substeps > 1) ++summary.halved_steps;
  summary.shortest_step =
      summary.longest_step == 0 ? report.h : std::min(summary.shortest_step, report.h);
  summary.longest_step = std::max(summary.longest_step, report.h);
  if (report.status == StepStatus::round_off) ++summary.round_off_steps;
  if (report.nodes > 0) {
    summary.fewest_points =
        summary.most_points == 0 ? report.nodes : std::min(summary.fewest_points, report.nodes);
    summary.most_points = std::max(summary.most_points, report.nodes);
  }
  summary.ledger += report.ledger;
  const double change = report.after.total - report.before.total;
  summary.worst_imbalance =
      larger(summary.worst_imbalance, std::abs(change - report.ledger.total()));
}

// Remembers when a step ended with another linear solver than the one before.
void watch_solver(RunSummary& summary, int step, std::string_view now) {
  if (summary.linear_solver == now) return;
  if (summary.switches.size() < kMostSwitches) {
    summary.switches.push_back({step, summary.linear_solver, std::string(now)});
  }
  summary.linear_solver = now;
}

bool stops(const Scene& scene, const EventHit& hit) {
  return scene.observables->events[static_cast<std::size_t>(hit.event)].stops;
}

// The events of a step, up to the first that ends the run.
std::span<const EventHit> events_until_stop(DenseOutput& dense_output, const State& before,
                                            const State& after, const Scene& scene, int pieces) {
  if (!dense_output.wanted()) return {};
  const std::vector<EventHit>& all = dense_output.events(before, after, pieces);
  const auto last = std::ranges::find_if(all, [&](const EventHit& h) { return stops(scene, h); });
  return {all.begin(), last == all.end() ? last : last + 1};
}

}  // namespace

double shared_digest(const Scene& scene, const State& state) {
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < scene.parts.size(); ++b) {
    const BodyPart& part = scene.parts[b];
    for (int i = 0; i < part.owned; ++i) {
      Digest one;
      one.add(static_cast<double>(b));
      one.add(static_cast<double>(part.number[static_cast<std::size_t>(i)]));
      const Eigen::Index at = 3 * (Eigen::Index{scene.part_first[b]} + i);
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
  scene.ranks->sum(halves);
  const std::uint64_t all =
      (static_cast<std::uint64_t>(halves[0]) << 32) + static_cast<std::uint64_t>(halves[1]);
  return std::bit_cast<double>(all);
}

std::size_t RunSummary::worst_orbit() const {
  const auto size = [](const OrbitEnd& orbit) { return orbit.energy.worst_relative(); };
  return static_cast<std::size_t>(std::ranges::max_element(orbits, {}, size) - orbits.begin());
}

const BodySpins::Body* RunSummary::worst_body() const {
  const BodySpins::Body* worst = nullptr;
  for (const BodySpins::Body& body : bodies) {
    if (body.steps_apart == 0) continue;
    // Not a number is worse than any.
    if (!worst || !(body.angular.worst_relative() <= worst->angular.worst_relative()))
      worst = &body;
  }
  return worst;
}

void RunSummary::archive(Archive& a) {
  a(steps, t, wall_seconds, step_seconds, processor_seconds, solver_work, halved_steps,
    rejected_steps, shortest_step, longest_step, round_off_steps, fewest_points, most_points, state,
    invariants, ledger, worst_imbalance, linear_solver, switches, digest);
}

namespace {

bool chooses_points(const Scheme& scheme) {
  if (scheme.lagrangian && scheme.lagrangian->adaptive_nodes) return true;
  if (const auto* table = std::get_if<MinimisationTable>(&scheme.table))
    return table->adaptive_nodes;
  const auto* composition = std::get_if<CompositionTable>(&scheme.table);
  return composition && chooses_points(*composition->base);
}

}  // namespace

SceneRun::SceneRun(const Scene& scene, DriftTracker& drift, const std::atomic<bool>* stop)
    : SceneRun(scene, drift, scene.initial, stop) {
  if (!scene.orbits.empty()) ensemble_ = std::make_unique<Ensemble>(scene, stop);
}

SceneRun::SceneRun(const Scene& scene, DriftTracker& drift, const State& initial,
                   const std::atomic<bool>* stop)
    : scene_(scene),
      drift_(drift),
      stop_(stop),
      end_(scene.initial.t + scene.duration),
      dense_output_(scene),
      tunnels_(scene),
      depth_(scene),
      spins_(scene, initial, drift.energy().exchange),
      may_give_up_(stop && scene.system->dofs() >= kLargeSystem) {
  make_steps();
  summary_.state = initial;
  summary_.t = initial.t;
  summary_.invariants = drift.start();
  summary_.linear_solver = integrator_->linear_solver();
  summary_.chooses_points = chooses_points(scene.scheme);
  dense_output_.start(summary_.state);
  depth_.add(summary_.state);
  tell_depth();
}

SceneRun::~SceneRun() = default;

void SceneRun::make_steps() {
  SolverOptions options = scene_.solver;
  options.newton.stop = may_give_up_ ? stop_ : nullptr;
  control_.reset();
  std::string memory;  // of the integrator before this one
  if (integrator_) {
    Archive a(&memory);
    integrator_->archive_memory(a);
  }
  integrator_ = make_integrator(*scene_.system, scene_.scheme, options);
  if (!memory.empty()) {
    Archive a(std::string_view{memory});
    integrator_->archive_memory(a);
  }
  control_ = make_step_control(*integrator_, *scene_.system, scene_.scheme, scene_.control);
}

void SceneRun::system_changed() {
  make_steps();
  spins_ = BodySpins(scene_, summary_.state, drift_.energy().exchange);
}

void SceneRun::state_changed() {
  State& state = summary_.state;
  state.h_previous = 0;
  system_changed();
  summary_.invariants = lilyan::invariants(*scene_.system, state);
  dense_output_.start(state);
}

void SceneRun::archive(Archive& a) {
  a.mark("run");
  if (!a.loading() && summary_.steps != earlier_steps_) take_processor_time();
  // Of a shared scene each process has only a part of the state, which is saved in another way.
  State part;
  if (scene_.ranks) std::swap(part, summary_.state);
  a(summary_, drift_, *control_);
  if (scene_.ranks) std::swap(part, summary_.state);
  const State& state = summary_.state;
  const auto dofs = scene_.initial.x.size();
  Archive::require(state.x.size() == dofs && state.v.size() == dofs);
  for (const Vector* before : {&state.x_previous, &state.v_previous}) {
    Archive::require(before->size() == dofs || (before->size() == 0 && state.h_previous == 0));
  }
  integrator_->archive(a);
  a(dense_output_, tunnels_, depth_, spins_, ended_);
  if (ensemble_) a(*ensemble_);
  if (!a.loading()) return;
  tell_depth();
  earlier_seconds_ = summary_.wall_seconds;
  earlier_processor_ = summary_.processor_seconds;
  earlier_steps_ = summary_.steps;
  begun_ = Clock::now();
  processor_begun_ = thread_seconds();
}

void SceneRun::take_processor_time() {
  const bool alone = threads() == 1 && std::this_thread::get_id() == thread_;
  summary_.processor_seconds = alone ? earlier_processor_ + thread_seconds() - processor_begun_ : 0;
}

void SceneRun::go_on() {
  if (summary_.end == RunEnd::interrupted) summary_.end = RunEnd::finished;
}

bool SceneRun::at_end() const {
  return scene_.variable_steps() ? summary_.t >= end_ : summary_.steps == scene_.steps;
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
  return {summary_.steps,
          summary_.state,
          summary_.invariants,
          nullptr,
          drift_,
          summary_,
          at_end(),
          {},
          {},
          ensemble_.get()};
}

void SceneRun::tell_depth() {
  summary_.contact_depth = depth_.now();
  summary_.deepest = depth_.deepest();
  summary_.deepest_share = depth_.deepest_share();
  summary_.asked_there = depth_.asked_there();
  summary_.beyond = depth_.beyond();
}

// Takes the step into report_; false when it failed or was stopped.
bool SceneRun::advance() {
  const int step = summary_.steps + 1;
  const State& state = summary_.state;
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
    report_ = control_->step(summary_.state, end_);
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
  summary_.wall_seconds = earlier_seconds_ + in_seconds(after - begun_);
  summary_.rejected_steps = control_->rejected();
  if (succeeded(report_.status)) return true;
  add_to_summary(summary_, report_);
  fail(fmt::format("step {} (t = {:.6g}, h = {:.4g}) {}{}", step, state.t, report_.h,
                   describe(report_.status), control_->attempts()),
       true);
  return false;
}

std::optional<RunMoment> SceneRun::step() {
  State& state = summary_.state;
  if (dense_output_.wanted() || tunnels_.wanted() || spins_.wanted()) before_ = state;
  if (!advance()) return {};
  const int step = ++summary_.steps;
  // Counting equal steps rather than summing them keeps t exact. The last two of a run may have another length, and
  // the last one ends at the time that was asked for.
  if (!scene_.variable_steps() && report_.h == scene_.step) {
    state.t = step == scene_.steps ? end_ : scene_.initial.t + step * scene_.step;
  }
  summary_.t = state.t;
  const std::span<const EventHit> events =
      events_until_stop(dense_output_, before_, state, scene_, report_.substeps);
  ended_ = !events.empty() && stops(scene_, events.back());
  if (ended_) {
    report_ = dense_output_.step_to(before_, events.back(), state);
    summary_.end = RunEnd::event;
    summary_.message = fmt::format(
        "event '{}' at t = {:.17g}",
        scene_.observables->events[static_cast<std::size_t>(events.back().event)].name, state.t);
  }
  add_to_summary(summary_, report_);
  if (tunnels_.wanted()) tunnels_.add(before_, state);
  if (spins_.wanted()) {
    spins_.add(before_, state, integrator_->memory(), report_.substeps);
    summary_.bodies = spins_.bodies();
  }
  summary_.passages = tunnels_.passages();
  summary_.longest_to_obstacle = tunnels_.longest();
  depth_.add(state);
  tell_depth();
  summary_.passages_of_bodies = tunnels_.between_bodies();
  watch_solver(summary_, step, integrator_->linear_solver());
  summary_.t = state.t;
  summary_.digest.add(state.t);
  if (scene_.ranks) {
    summary_.digest.add(shared_digest(scene_, state));
  } else {
    summary_.digest.add(state.x);
    summary_.digest.add(state.v);
  }
  summary_.invariants = report_.after;
  drift_.add(state, report_.after, summary_.ledger.work + summary_.ledger.dissipation,
             report_.rounding);
  const std::span<const State> samples = dense_output_.samples(before_, state);
  if (ensemble_) ensemble_->advance(state.t);
  return RunMoment{step,     state,  report_.after, &report_, drift_,
                   summary_, done(), events,        samples,  ensemble_.get()};
}

const RunSummary& SceneRun::finish() {
  summary_.times = integrator_->times();
  if (ensemble_) summary_.orbits = ensemble_->ends();
  summary_.wall_seconds = earlier_seconds_ + in_seconds(Clock::now() - begun_);
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

RunSummary run_scene(const Scene& scene, DriftTracker& drift, const RunObserver& observer,
                     const std::atomic<bool>* stop) {
  SceneRun run(scene, drift, stop);
  return run_to_end(run, observer);
}

}  // namespace lilyan
