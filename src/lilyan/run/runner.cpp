#include "lilyan/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lilyan/core/error.hpp"

namespace lilyan {

std::string_view name(RunEnd end) {
  switch (end) {
    case RunEnd::finished: return "finished";
    case RunEnd::failed: return "failed";
    case RunEnd::interrupted: return "interrupted";
  }
  return "";
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void count(RunSummary& summary, const StepReport& report) {
  summary.iterations += report.iterations;
  summary.factorisations += report.factorisations;
  summary.evaluations += report.evaluations;
  summary.definiteness_fixes += report.definiteness_fixes;
  if (!succeeded(report.status)) return;
  if (report.substeps > 1) ++summary.halved_steps;
  if (report.status == StepStatus::round_off) ++summary.round_off_steps;
  summary.ledger += report.ledger;
  const double change = report.after.total - report.before.total;
  summary.worst_imbalance =
      std::max(summary.worst_imbalance, std::abs(change - report.ledger.total()));
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
  bool go_on = observer({0, state, drift.start(), nullptr, drift, summary});
  for (int step = 1; step <= scene.steps && go_on; ++step) {
    const Clock::time_point before = Clock::now();
    const StepReport report = advance(*integrator, state, scene.step, scene.max_halvings);
    summary.step_seconds += seconds_since(before);
    count(summary, report);
    if (!succeeded(report.status)) {
      summary.end = RunEnd::failed;
      summary.message = fmt::format(
          "step {} (t = {:.6g}, h = {:.4g}) {}{}", step, state.t, scene.step,
          describe(report.status),
          scene.max_halvings > 0 ? fmt::format(", also when halved {} times", scene.max_halvings)
                                 : "");
      break;
    }
    summary.steps = step;
    // Counting steps rather than summing them keeps t exact.
    state.t = scene.initial.t + step * scene.step;
    summary.t = state.t;
    summary.invariants = report.after;
    drift.add(report.after);
    summary.wall_seconds = seconds_since(start);
    try {
      go_on = observer({step, state, report.after, &report, drift, summary});
    } catch (const Error& error) {  // results that can no longer be written, say
      summary.end = RunEnd::failed;
      summary.message = error.what();
      break;
    }
  }
  if (!go_on && summary.end == RunEnd::finished && summary.steps < scene.steps)
    summary.end = RunEnd::interrupted;
  summary.times = integrator->times();
  summary.wall_seconds = seconds_since(start);
  return summary;
}

}  // namespace lilyan
