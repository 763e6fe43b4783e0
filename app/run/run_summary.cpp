#include "app/run/run_summary.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/conservation/drift.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostSwitches = 100;  // that the summary names

}  // namespace

std::string_view name(RunEnd end) {
  switch (end) {
    case RunEnd::finished: return "finished";
    case RunEnd::event: return "event";
    case RunEnd::failed: return "failed";
    case RunEnd::interrupted: return "interrupted";
  }
  return "";
}

void RunSummary::add(const StepReport& report) {
  solver_work += report.solver_work;
  if (!succeeded(report.status)) return;
  if (report.substeps > 1) ++halved_steps;
  shortest_step = longest_step == 0 ? report.h : std::min(shortest_step, report.h);
  longest_step = std::max(longest_step, report.h);
  if (report.status == StepStatus::round_off) ++round_off_steps;
  if (report.nodes > 0) {
    fewest_points = most_points == 0 ? report.nodes : std::min(fewest_points, report.nodes);
    most_points = std::max(most_points, report.nodes);
  }
  ledger += report.ledger;
  const double change = report.after.total - report.before.total;
  worst_imbalance = larger(worst_imbalance, std::abs(change - report.ledger.total()));
}

void RunSummary::take_solver(int step, std::string_view now) {
  if (linear_solver == now) return;
  if (switches.size() < kMostSwitches) {
    switches.push_back({step, linear_solver, std::string(now)});
  }
  linear_solver = now;
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
    rejected_steps, shortest_step, longest_step, round_off_steps, fewest_points, most_points,
    invariants, ledger, worst_imbalance, linear_solver, switches, digest);
}

}  // namespace lilyan
