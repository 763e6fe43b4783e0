#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/cli/commands.hpp"
#include "app/cli/terminal.hpp"
#include "app/report/result_folder.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/drift.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/threads.hpp"

namespace lilyan::cli {
namespace {

// "Lz conserved, |Δ|/|Lz| ≤ 3.1e-15; p_phi (a symmetry) conserved, …"
void print_invariants(const Watch& watch) {
  std::string line;
  for (const Watch::Quantity& q : watch.invariants()) {
    const bool kept = q.worst_relative() <= kConserved;
    line += fmt::format("{}{}{} {}conserved, |Δ|/|{}| ≤ {:.1e}", line.empty() ? "  " : "; ", q.name,
                        q.found ? " (cyclic)" : "", kept ? "" : "not ", q.name, q.worst_relative());
  }
  if (!line.empty()) fmt::print("{}\n", line);
  if (watch.has_exact()) {
    fmt::print("  distance from the exact solution: {:.3g} at the end, at most {:.3g}\n",
               watch.error(), watch.worst_error());
  }
}

// Whether everything that the scene should keep was kept.
bool all_kept(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
              const ResultFolder& results) {
  for (const Verdict& v : verdicts(*scene.system, summary, drift)) {
    if (v.kind == Verdict::Kind::not_kept) return false;
  }
  return std::ranges::all_of(results.watch().invariants(), [](const Watch::Quantity& q) {
    return q.worst_relative() <= kConserved;
  });
}

// A run that makes energy out of nothing looks like any other in a log.
void warn_of_energy(const DriftTracker& drift) {
  const double worst = drift.energy().worst_relative();
  if (worst <= 1) return;
  tell(fmt::format(
      "warning: the energy went wrong by {:.3g} times its size: this is not the motion of the "
      "system. A smaller integrator.step or a method that keeps energy (avf) may help.\n",
      worst));
}

void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results) {
  const System& system = *scene.system;
  fmt::print("{} with {}: ", scene.name, scene.scheme.label);
  if (scene.variable_steps()) {
    fmt::print("{} steps of {:.3g} to {:.3g}{} ({} rejected)", summary.steps, summary.shortest_step,
               summary.longest_step, time_unit(scene), summary.rejected_steps);
  } else {
    fmt::print("{} of {} steps of {}{}", summary.steps, scene.steps, scene.step, time_unit(scene));
  }
  fmt::print(" in {:.1f} s", summary.wall_seconds);
  if (summary.steps > 0) {
    fmt::print(" ({:.3g} ms and {:.1f} iterations a step)",
               1e3 * summary.step_seconds / summary.steps,
               static_cast<double>(summary.solver_work.iterations) / summary.steps);
  }
  fmt::print("\n");
  if (summary.halved_steps > 0) {
    fmt::print("  {} steps were solved only after halving\n", summary.halved_steps);
  }
  fmt::print("  results in {}: {}\n", results.folder().string(), results.files());
  for (const std::string& note : results.notes()) fmt::print("  {}\n", note);
  if (summary.most_points > 0) {
    fmt::print("  {} to {} points of quadrature a step\n", summary.fewest_points,
               summary.most_points);
  }
  if (summary.round_off_steps > 0) {
    fmt::print("  {} steps were solved to rounding error rather than to the tolerances\n",
               summary.round_off_steps);
  }
  if (summary.steps == 0) return;
  const bool worked = !system.forces().empty() || summary.ledger.work != 0;
  const bool damped = summary.ledger.dissipation != 0;
  if (damped || (worked && system.forces().empty())) {
    fmt::print("  work done on the system {:.4g}, energy dissipated {:.4g}\n", summary.ledger.work,
               0.0 - summary.ledger.dissipation);
  }
  std::string verdict;
  for (const Verdict& v : verdicts(system, summary, drift)) {
    verdict += (verdict.empty() ? "" : "; ") + v.text;
  }
  fmt::print("over {} steps: {}\n", summary.steps, verdict);
  print_invariants(results.watch());
  warn_of_energy(drift);
}

}  // namespace

int run(const RunOptions& options) {
  const Scene scene = load_scene(find_scene(options.scene.scene),
                                 {.settings = options.scene.settings, .steps = options.steps});
  const std::filesystem::path folder =
      options.output.empty() ? std::filesystem::path("results") / (scene.name + "-" + scene.method)
                             : std::filesystem::path(options.output);
  // First, as it may fail, and what an earlier run left should stay then.
  std::unique_ptr<RunViewer> viewer;
  if (options.view) viewer = options.serve(scene, options.port);
  ResultFolder results(folder, scene);
  if (!options.quiet) {
    tell(fmt::format("{}: {}, {} with {} into {}\n", scene.title, describe_size(scene),
                     describe_plan(scene), scene.scheme.label, folder.string()));
  }

  set_threads(options.threads.value_or(scene.threads));
  catch_interrupts();
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  Progress progress(scene);
  const auto observe = [&](const RunMoment& moment) {
    results.add(moment);
    if (viewer) viewer->add(moment);
    if (!options.quiet) progress.show(moment);
    return !interrupted();
  };
  const RunSummary summary = run_scene(scene, drift, observe, interrupt_flag());
  if (!options.quiet) progress.finish();
  results.finish(summary, drift);
  print_summary(scene, summary, drift, results);
  if (viewer) viewer->finish(summary);
  if (summary.end == RunEnd::failed) {
    tell(
        fmt::format("error: the run stopped: {}.\nEverything up to there is written. A smaller "
                    "integrator.step, a larger solver.max_iterations or another method may help.\n",
                    summary.message));
    return kStopped;
  }
  if (summary.end == RunEnd::event) fmt::print("  ended by {}\n", summary.message);
  if (summary.end == RunEnd::interrupted) {
    tell(fmt::format("interrupted after step {}; everything up to there is written\n",
                     summary.steps));
    return kStopped;
  }
  if (!options.expect.empty() && !all_kept(scene, summary, drift, results)) {
    tell("error: not everything was conserved, as --expect asks\n");
    return kNotConserved;
  }
  return kDone;
}

int check(const SceneOptions& options) {
  const std::filesystem::path file = find_scene(options.scene);
  const Scene scene = load_scene(file, {.settings = options.settings});
  fmt::print("{}: ok: {}, {} with {}\n", file.string(), describe_size(scene), describe_plan(scene),
             scene.scheme.label);
  return kDone;
}

}  // namespace lilyan::cli
