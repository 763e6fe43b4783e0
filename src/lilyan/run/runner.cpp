#include "lilyan/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lilyan/core/error.hpp"
#include "lilyan/scene/observables.hpp"

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

constexpr std::size_t kMostSwitches = 100;  // that are told

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

void count(RunSummary& summary, const StepReport& report) {
  summary.iterations += report.iterations;
  summary.factorisations += report.factorisations;
  summary.evaluations += report.evaluations;
  summary.definiteness_fixes += report.definiteness_fixes;
  summary.linear_iterations += report.linear_iterations;
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
      std::max(summary.worst_imbalance, std::abs(change - report.ledger.total()));
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
std::span<const EventHit> happened(BetweenSteps& between, const State& before, const State& after,
                                   const Scene& scene, int pieces) {
  if (!between.wanted()) return {};
  const std::vector<EventHit>& all = between.events(before, after, pieces);
  const auto last = std::ranges::find_if(all, [&](const EventHit& h) { return stops(scene, h); });
  return {all.begin(), last == all.end() ? last : last + 1};
}

}  // namespace

RunSummary run_scene(const Scene& scene, DriftTracker& drift, const RunObserver& observer) {
  const Clock::time_point start = Clock::now();
  RunSummary summary;
  State& state = summary.state;
  state = scene.initial;
  summary.t = state.t;
  summary.invariants = drift.start();
  const auto integrator = make_integrator(*scene.system, scene.scheme, scene.solver);
  summary.linear_solver = integrator->linear_solver();
  const auto control = make_step_control(*integrator, *scene.system, scene.scheme, scene.control);
  const double end = scene.initial.t + scene.duration;
  const auto at_end = [&] {
    return scene.variable_steps() ? state.t >= end : summary.steps == scene.steps;
  };
  BetweenSteps between(scene);
  between.start(state);
  State before_step;
  bool stopped = false;
  bool go_on = observer({0, state, drift.start(), nullptr, drift, summary, at_end(), {}, {}});
  while (go_on && !at_end() && !stopped) {
    const int step = summary.steps + 1;
    if (between.wanted()) before_step = state;
    const Clock::time_point before = Clock::now();
    StepReport report;
    try {
      report = control->step(state, end);
    } catch (const Error& error) {  // a factor that does not fit into memory, say
      summary.end = RunEnd::failed;
      summary.message = fmt::format("step {} (t = {:.6g}): {}", step, state.t, error.what());
      break;
    }
    const Clock::time_point after = Clock::now();
    summary.step_seconds += seconds(after - before);
    summary.wall_seconds = seconds(after - start);
    summary.rejected_steps = control->rejected();
    if (!succeeded(report.status)) {
      count(summary, report);
      summary.end = RunEnd::failed;
      summary.message = fmt::format("step {} (t = {:.6g}, h = {:.4g}) {}{}", step, state.t,
                                    report.h, describe(report.status), control->attempts());
      break;
    }
    // Counting equal steps rather than summing them keeps t exact.
    if (!scene.variable_steps()) state.t = scene.initial.t + step * scene.step;
    const std::span<const EventHit> events =
        happened(between, before_step, state, scene, report.substeps);
    stopped = !events.empty() && stops(scene, events.back());
    if (stopped) {
      report = between.step_to(before_step, events.back(), state);
      summary.end = RunEnd::event;
      summary.message = fmt::format(
          "event '{}' at t = {:.17g}",
          scene.observables->events[static_cast<std::size_t>(events.back().event)].name, state.t);
    }
    count(summary, report);
    summary.steps = step;
    watch_solver(summary, step, integrator->linear_solver());
    summary.t = state.t;
    summary.invariants = report.after;
    drift.add(report.after, summary.ledger.work + summary.ledger.dissipation);
    try {
      const std::span<const State> samples = between.samples(before_step, state);
      go_on = observer({step, state, report.after, &report, drift, summary, at_end() || stopped,
                        events, samples});
    } catch (const Error& error) {  // results that can no longer be written, say
      summary.end = RunEnd::failed;
      summary.message = error.what();
      break;
    }
  }
  if (!go_on && summary.end == RunEnd::finished && !at_end() && !stopped)
    summary.end = RunEnd::interrupted;
  summary.times = integrator->times();
  summary.wall_seconds = seconds(Clock::now() - start);
  return summary;
}

}  // namespace lilyan
