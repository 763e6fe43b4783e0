#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/threads.hpp"
#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/run/results.hpp"
#include "lilyan/run/runner.hpp"
#include "lilyan/scene/scene.hpp"
#include "lilyan/view/broadcast.hpp"
#include "lilyan/view/page.hpp"
#include "progress.hpp"

namespace lilyan::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Below this a deviation counts as conserved in the closing line.
constexpr double kConserved = 1e-9;

// "energy conserved, |ΔE|/E₀ ≤ 5.3e-13"
std::string verdict(std::string_view what, std::string_view ratio, const Deviation& d,
                    bool symmetry) {
  if (!symmetry) return fmt::format("{} is not an invariant of this scene", what);
  return fmt::format("{} {}conserved, {} ≤ {:.1e}", what,
                     d.worst_relative() <= kConserved ? "" : "not ", ratio, d.worst_relative());
}

// "1 body, 330 vertices (25 fixed), 2000 tets", "…, 12482 triangles, 31363 springs",
// "1 degree of freedom"
std::string size(const Scene& scene) {
  const auto count = [](std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (!scene.coordinates.empty()) {
    return count(scene.coordinates.size(), "degree of freedom", "degrees of freedom");
  }
  std::string text =
      fmt::format("{}, {} vertices ({} fixed)", count(scene.body_names.size(), "body", "bodies"),
                  scene.system->vertices(), scene.system->fixed_count());
  if (!scene.tets.empty()) text += ", " + count(scene.tets.size(), "tet", "tets");
  if (!scene.triangles.empty()) {
    text += ", " + count(scene.triangles.size(), "triangle", "triangles");
  }
  if (!scene.edges.empty()) text += ", " + count(scene.edges.size(), "segment", "segments");
  if (scene.springs > 0) text += ", " + count(scene.springs, "spring", "springs");
  return text;
}

// Small systems have units of their own.
std::string_view unit_of(const Scene& scene) { return scene.coordinates.empty() ? " s" : ""; }

// "300 steps of 0.01 s", "error-controlled steps over 60 s"
std::string plan(const Scene& scene) {
  const std::string_view unit = unit_of(scene);
  if (!scene.variable_steps())
    return fmt::format("{} steps of {}{}", scene.steps, scene.step, unit);
  return fmt::format(
      "{} steps over {}{}",
      scene.control.kind == StepControlKind::error ? "error-controlled" : "reversible",
      scene.duration, unit);
}

// Standard error may be gone (a closed pipe, a full disk); that must not end a run.
void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

// The first signal ends the run after the step at hand, with everything written; the second at
// once.
void on_signal(int signal) {
  if (interrupted != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupted = 1;
}

// "Lz conserved, |Δ|/|Lz| ≤ 3.1e-15; p_phi (a symmetry) conserved, …"
void print_watch(const Watch& watch) {
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

void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results) {
  const System& system = *scene.system;
  fmt::print("{} with {}: ", scene.name, scene.scheme.label);
  if (scene.variable_steps()) {
    fmt::print("{} steps of {:.3g} to {:.3g}{} ({} rejected)", summary.steps, summary.shortest_step,
               summary.longest_step, unit_of(scene), summary.rejected_steps);
  } else {
    fmt::print("{} of {} steps of {}{}", summary.steps, scene.steps, scene.step, unit_of(scene));
  }
  fmt::print(" in {:.1f} s", summary.wall_seconds);
  if (summary.steps > 0) {
    fmt::print(" ({:.3g} ms and {:.1f} iterations a step)",
               1e3 * summary.step_seconds / summary.steps,
               static_cast<double>(summary.iterations) / summary.steps);
  }
  fmt::print("\n");
  if (summary.halved_steps > 0) {
    fmt::print("  {} steps were solved only after halving\n", summary.halved_steps);
  }
  fmt::print("  results in {}: {}\n", results.folder().string(), results.files());
  for (const std::string& note : results.notes()) fmt::print("  {}\n", note);
  if (summary.most_points > 0) {
    fmt::print("  {} to {} Gauss points a step\n", summary.fewest_points, summary.most_points);
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
               -summary.ledger.dissipation);
  }
  fmt::print("over {} steps: {}", summary.steps,
             damped
                 ? verdict("energy less work and dissipation", "|ΔE−W+D|/E₀", drift.energy(), true)
             : worked ? verdict("energy less the work of forces", "|ΔE−W|/E₀", drift.energy(), true)
                      : verdict("energy", "|ΔE|/E₀", drift.energy(), true));
  if (system.dimension() == 3) {
    fmt::print("; {}; {}",
               verdict("linear momentum", "|ΔP|/|P|", drift.linear_momentum(),
                       system.translation_invariant()),
               verdict("angular momentum", "|ΔL|/|L|", drift.angular_momentum(),
                       system.rotation_invariant()));
  }
  fmt::print("\n");
  print_watch(results.watch());
}

std::unique_ptr<view::Broadcast> start_broadcast(const Scene& scene, const RunOptions& options) {
  view::ServerOptions server{.insist = options.port.has_value(), .page = view::page()};
  if (options.port) server.port = static_cast<unsigned short>(*options.port);
  auto broadcast = std::make_unique<view::Broadcast>(scene, server);
  tell(view_address(broadcast->port()));
  return broadcast;
}

// Whoever watches when the run ends keeps the page for as long as it is open.
void await_viewers(const view::Broadcast& broadcast) {
  if (broadcast.clients() == 0 || interrupted != 0) return;
  fmt::print("the page stays until it is closed, or until Ctrl-C\n");
  std::fflush(stdout);
  while (broadcast.clients() > 0 && interrupted == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
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
    tell(fmt::format("{}: {}, {} with {} into {}\n", scene.title, size(scene), plan(scene),
                     scene.scheme.label, folder.string()));
  }

  set_threads(options.threads.value_or(scene.threads));
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  Progress progress(scene);
  std::unique_ptr<view::Broadcast> broadcast;
  if (options.view) broadcast = start_broadcast(scene, options);
  const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    if (broadcast) broadcast->add(moment);
    if (!options.quiet) progress.show(moment);
    return interrupted == 0;
  });
  if (!options.quiet) progress.finish();
  results.finish(summary, drift);
  print_summary(scene, summary, drift, results);
  if (broadcast) {
    broadcast->finish(summary);
    await_viewers(*broadcast);
  }
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
  return kDone;
}

int check(const SceneOptions& options) {
  const std::filesystem::path file = find_scene(options.scene);
  const Scene scene = load_scene(file, {.settings = options.settings});
  fmt::print("{}: ok: {}, {} with {}\n", file.string(), size(scene), plan(scene),
             scene.scheme.label);
  return kDone;
}

}  // namespace lilyan::cli
