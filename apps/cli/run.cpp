#include <fmt/format.h>

#include <csignal>
#include <string>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/run/results.hpp"
#include "lilyan/run/runner.hpp"
#include "lilyan/scene/scene.hpp"
#include "progress.hpp"

namespace lilyan::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Below this a deviation counts as conserved in the closing line.
constexpr double kConserved = 1e-9;

std::string verdict(const Deviation& d, bool symmetry) {
  if (!symmetry) return "not an invariant of this scene";
  return d.worst_relative() <= kConserved ? "conserved" : "not conserved";
}

void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results) {
  const System& system = *scene.system;
  fmt::print("{} with {}: {} of {} steps of {} s in {:.1f} s", scene.name, scene.scheme.label,
             summary.steps, scene.steps, scene.step, summary.wall_seconds);
  if (summary.steps > 0) {
    fmt::print(" ({:.3g} ms and {:.1f} iterations a step)",
               1e3 * summary.step_seconds / summary.steps,
               static_cast<double>(summary.iterations) / summary.steps);
  }
  fmt::print("\n");
  if (summary.halved_steps > 0) {
    fmt::print("  {} steps were solved only after halving\n", summary.halved_steps);
  }
  fmt::print("  results in {}: series.csv, run.json, scene.resolved.toml{}\n",
             results.folder().string(), scene.output.every > 0 ? ", run.pvd" : "");
  fmt::print(
      "conserved over {} steps: energy |ΔE|/E₀ ≤ {:.1e} ({}); linear momentum |ΔP|/|P| ≤ "
      "{:.1e} ({}); angular momentum |ΔL|/|L| ≤ {:.1e} ({})\n",
      summary.steps, drift.energy().worst_relative(), verdict(drift.energy(), true),
      drift.linear_momentum().worst_relative(),
      verdict(drift.linear_momentum(), system.translation_invariant()),
      drift.angular_momentum().worst_relative(),
      verdict(drift.angular_momentum(), system.rotation_invariant()));
}

}  // namespace

int run(const RunOptions& options) {
  const Scene scene = load_scene(find_scene(options.scene.scene),
                                 {.settings = options.scene.settings, .steps = options.steps});
  const std::filesystem::path folder =
      options.output.empty() ? std::filesystem::path("results") / (scene.name + "-" + scene.method)
                             : std::filesystem::path(options.output);
  ResultFolder results(folder, scene);
  if (!options.quiet) {
    fmt::print(stderr, "{}: {} vertices, {} tets, {} steps with {} into {}\n", scene.title,
               scene.system->vertices(), scene.tets.size(), scene.steps, scene.scheme.label,
               folder.string());
  }

  // Ctrl-C ends the run after the step at hand, with everything written.
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  Progress progress(scene.steps);
  const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    if (!options.quiet) progress.show(moment);
    return interrupted == 0;
  });
  if (!options.quiet) progress.finish();
  results.finish(summary, drift);
  print_summary(scene, summary, drift, results);
  if (summary.end == RunEnd::failed) {
    fmt::print(stderr,
               "error: the run stopped: {}.\nEverything up to there is written. A smaller "
               "integrator.step, a larger solver.max_iterations or another method may help.\n",
               summary.message);
    return kStopped;
  }
  if (summary.end == RunEnd::interrupted) {
    fmt::print(stderr, "interrupted after step {}; everything up to there is written\n",
               summary.steps);
    return kStopped;
  }
  return kDone;
}

int check(const SceneOptions& options) {
  const std::filesystem::path file = find_scene(options.scene);
  const Scene scene = load_scene(file, {.settings = options.settings});
  fmt::print("{}: ok: {} {}, {} vertices ({} fixed), {} tets, {} steps of {} s with {}\n",
             file.string(), scene.body_names.size(),
             scene.body_names.size() == 1 ? "body" : "bodies", scene.system->vertices(),
             scene.system->fixed_count(), scene.tets.size(), scene.steps, scene.step,
             scene.scheme.label);
  return kDone;
}

}  // namespace lilyan::cli
