#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/cli/run_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/files/file.hpp"
#include "app/files/process.hpp"
#include "app/report/folder/folder_run.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/report/folder/saved_run.hpp"
#include "app/report/picture/figure.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan::cli {
namespace {

Colour colour_of(Kept kept) {
  return kept == Kept::conserved   ? Colour::green
         : kept == Kept::bounded   ? Colour::blue
         : kept == Kept::undecided ? Colour::yellow
                                   : Colour::red;
}

// "Lz conserved, |ΔLz|/|Lz| ≤ 3.1e-15; p_phi (cyclic) conserved, …"
void print_invariants(const Watch& watch, int steps) {
  std::string line;
  for (const Watch::Quantity& q : watch.invariants()) {
    line += fmt::format("{}{}{} {}", line.empty() ? "  " : "; ", q.name, q.found ? " (cyclic)" : "",
                        in_colour(colour_of(q.deviation.kept()),
                                  how_kept(q.deviation, "Δ" + q.name, "|" + q.name + "|", steps)));
  }
  if (!line.empty()) fmt::print("{}\n", line);
  if (watch.has_exact()) {
    fmt::print("  distance from the exact solution: {:.3g} at the end, at most {:.3g}\n",
               watch.error(), watch.worst_error());
  }
}

// What was not kept as well as asked for: "energy undecided, …; Lz drifts, …". Empty: all was.
std::string not_kept(const std::string& expect, const Scene& scene, const RunSummary& summary,
                     const DriftTracker& drift, const ResultFolder& results) {
  std::string text;
  const auto judge = [&](Kept kept, const std::string& how) {
    if (kept == Kept::conserved || (kept == Kept::bounded && expect == "bounded")) return;
    text += (text.empty() ? "" : "; ") + how;
  };
  for (const Verdict& v : verdicts(*scene.system, summary, drift)) {
    if (v.kept) judge(*v.kept, v.text);
  }
  for (const Watch::Quantity& q : results.watch().invariants()) {
    judge(q.deviation.kept(),
          q.name + " " + how_kept(q.deviation, "Δ" + q.name, "|" + q.name + "|", summary.steps));
  }
  return text;
}

// "of 24 further orbits, the energy of orbit 7 (y = 0.1) is worst: bounded, …"
void print_orbits(const RunSummary& summary) {
  const auto& orbits = summary.orbits;
  if (orbits.empty()) return;
  const std::size_t worst = summary.worst_orbit();
  const Deviation& energy = orbits[worst].energy;
  fmt::print("  of {} further orbits, the energy of orbit {} ({}) is worst: {}\n", orbits.size(),
             worst + 1, orbits[worst].start,
             in_colour(colour_of(energy.kept()),
                       how_kept(energy, "ΔE", "E₀", std::max(1, orbits[worst].steps))));
  for (std::size_t k = 0; k < orbits.size(); ++k) {
    if (orbits[k].failed.empty()) continue;
    tell(fmt::format("warning: orbit {} ({}) stopped: {}\n", k + 1, orbits[k].start,
                     orbits[k].failed));
  }
}

// "over 300 steps: energy conserved, …; linear momentum …", in lines that fit a terminal.
void print_verdicts(const std::vector<Verdict>& all, int steps) {
  constexpr std::size_t kWidth = 100;
  std::string text = fmt::format("over {} steps: ", steps);
  std::size_t column = letters_in(text);
  bool first = true;
  for (const auto& [kept, words] : all) {
    const std::size_t length = letters_in(words);
    if (!first && column + 2 + length > kWidth) {
      text += ";\n  ";
      column = 2;
    } else if (!first) {
      text += "; ";
      column += 2;
    }
    text += kept ? in_colour(colour_of(*kept), words) : words;
    column += length;
    first = false;
  }
  fmt::print("{}\n", text);
}

// A run that makes energy out of nothing looks like any other in a log.
void warn_of_energy(const DriftTracker& drift) {
  const double worst = drift.energy().worst_relative();
  if (worst <= 1 || drift.energy().kept() != Kept::drifts) return;
  tell(fmt::format(
      "warning: the energy went wrong by {:.3g} times its size: this is not the motion of the "
      "system. A smaller integrator.step or a method that keeps energy (avf) may help.\n",
      worst));
}

// Contact by penalty gives way, and may give way too far.
void warn_of_depth(const RunSummary& summary) {
  constexpr double kDeep = 0.1;
  if (summary.contact.deepest_share > kDeep) {
    tell(fmt::format(
        "warning: a body sank into an obstacle or another body by {:.3g}, {:.0f} % of its size: "
        "the stiffness of contact is too small for its weight and speed. {}\n",
        summary.contact.deepest, 100 * summary.contact.deepest_share,
        summary.contact.asked_there > 0
            ? fmt::format("A 'depth' below {:.3g} makes it larger.", summary.contact.asked_there)
            : "With 'depth' instead of 'stiffness' it is chosen from the weight."));
  }
  if (const auto& [depth, asked, explained] = summary.contact.beyond; depth > 0) {
    tell(fmt::format(
        "warning: a body sank in by {:.3g}, {:.2g} times the 'depth' of {:.3g} that was asked for, "
        "and the speed it came with explains no more than {:.2g}: it stands on fewer vertices than "
        "as it was placed, or others press it down. A smaller 'depth' or a 'stiffness_per_area' "
        "helps.\n",
        depth, depth / asked, asked, explained));
  }
}

void warn_of_passages(const RunSummary& summary) {
  if (summary.passages.through_obstacles > 0) {
    tell(fmt::format(
        "warning: {} time{} a vertex went through an obstacle within one step: a "
        "smaller integrator.step or "
        "a thicker obstacle helps.\n",
        summary.passages.through_obstacles, summary.passages.through_obstacles == 1 ? "" : "s"));
  } else if (summary.passages.longest_step > 1) {
    tell(fmt::format(
        "warning: vertices near an obstacle moved by up to {:.2g} times its thickness in a step: "
        "they may go "
        "through it unnoticed. A smaller integrator.step or a thicker obstacle helps.\n",
        summary.passages.longest_step));
  }
}

void warn_of_passages_of_bodies(const RunSummary& summary) {
  if (summary.passages.through_bodies > 0) {
    tell(fmt::format(
        "warning: {} time{} a vertex went through the surface of another body: a smaller "
        "integrator.step, a thicker or a stiffer contact helps.\n",
        summary.passages.through_bodies, summary.passages.through_bodies == 1 ? "" : "s"));
  }
}

// "bar with avf: 300 of 300 steps of 0.01 s in 1.2 s (4 ms and 3.1 iterations a step)"
void print_steps(const Scene& scene, const RunSummary& summary) {
  fmt::print("{} with {}: ", scene.name, scene.settings.scheme.label);
  if (scene.settings.variable_steps()) {
    fmt::print("{} steps of {:.3g} to {:.3g}{} ({} rejected)", summary.steps, summary.shortest_step,
               summary.longest_step, time_unit(scene), summary.rejected_steps);
  } else {
    fmt::print("{} of {} steps of {:.6g}{}", summary.steps, scene.settings.steps,
               scene.settings.step, time_unit(scene));
  }
  fmt::print(" in {:.1f} s", summary.wall_seconds);
  if (summary.steps > 0) {
    fmt::print(" ({:.3g} ms and {:.1f} iterations a step)",
               1e3 * summary.step_seconds / summary.steps,
               static_cast<double>(summary.solver_work.iterations) / summary.steps);
  }
  fmt::print("\n");
}

}  // namespace

void print_summary(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
                   const ResultFolder& results) {
  const System& system = *scene.system;
  print_steps(scene, summary);
  if (summary.halved_steps > 0) {
    fmt::print("  {} steps were solved only after halving\n", summary.halved_steps);
  }
  if (!results.written()) {
    fmt::print(
        "  not a single step was made: the results of an earlier run in {} were left as they are\n",
        results.folder().string());
    return;
  }
  if (summary.end == RunEnd::failed && !summary.diverged) return;  // who knows which are there
  fmt::print("  results in {}: {}\n", results.folder().string(), results.files());
  for (const std::string& note : results.notes()) fmt::print("  {}\n", note);
  if (summary.most_points > 0) {
    const bool same = summary.fewest_points == summary.most_points;
    fmt::print("  {}{} points of quadrature a step\n",
               same ? "" : fmt::format("{} to ", summary.fewest_points), summary.most_points);
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
  if (summary.gap.most_pairs > 0) {
    fmt::print("  contact: up to {} pairs nearer than {:.3g}, none nearer than {:.2g}\n",
               summary.gap.most_pairs, summary.gap.reach, summary.gap.smallest * summary.gap.reach);
  }
  warn_of_passages(summary);
  warn_of_depth(summary);
  warn_of_passages_of_bodies(summary);
  print_verdicts(verdicts(system, summary, drift), summary.steps);
  print_invariants(results.watch(), summary.steps);
  print_orbits(summary);
  warn_of_energy(drift);
}

int exit_code(const RunOptions& options, const Scene& scene, const RunSummary& summary,
              const DriftTracker& drift, const ResultFolder& results) {
  const std::string go_on = results.written()
                                ? fmt::format("./lilyan run --resume {} goes on from there.",
                                              quoted_for_shell(results.folder().string()))
                                : "";
  if (summary.end == RunEnd::failed) {
    tell(fmt::format("error: the run stopped: {}.\n", summary.message));
    if (summary.diverged) {
      tell(
          "Everything up to there is written. A smaller integrator.step, a larger "
          "solver.max_iterations or another method may help.\n");
    } else if (results.written() && has_checkpoint(results.folder())) {
      tell(fmt::format("It was saved before that: {}\n", go_on));
    }
    return kStopped;
  }
  if (summary.end == RunEnd::event) fmt::print("  ended by {}\n", summary.message);
  if (summary.end == RunEnd::interrupted) {
    tell(fmt::format("interrupted after step {}; everything up to there is written. {}\n",
                     summary.steps, go_on));
    return kStopped;
  }
  if (options.expect.empty()) return kDone;
  const std::string wrong = not_kept(options.expect, scene, summary, drift, results);
  if (!wrong.empty()) {
    tell(
        fmt::format("error: not everything was {}, as --expect asks: {}\n", options.expect, wrong));
    return kNotConserved;
  }
  return kDone;
}

PlannedRun plan_run(const RunOptions& options, const Distribution* ranks) {
  if (options.resume.empty()) {
    return {.scene =
                load_scene(find_scene(options.scene.scene), {.settings = options.scene.settings,
                                                             .steps = options.steps,
                                                             .start = options.scene.start,
                                                             .ranks = ranks})};
  }
  refuse_without_checkpoint(options.resume);
  Checkpoint saved = read_checkpoint(options.resume);
  Scene scene = scene_to_resume(options.resume, saved, options.steps, ranks);
  return {.scene = std::move(scene), .saved = std::move(saved)};
}

FolderChoice folder_for(const RunOptions& options, const Scene& scene, const std::string& ending) {
  return choose_folder(
      {.given = options.output,
       .name = scene.name + "-" + scene.settings.method +
               name_of_changes(options.scene.settings, options.steps, options.scene.start) + ending,
       .identity = scene.resolved,
       .overwrite = options.overwrite});
}

void announce(const PlannedRun& plan, const std::filesystem::path& folder, std::string_view where) {
  const Scene& scene = plan.scene;
  tell(fmt::format("{}: {}, {} with {}{} into {}\n", scene.title, describe_size(scene),
                   describe_plan(scene), describe_method(scene), where, folder.string()));
  for (const std::string& remark : scene.remarks) tell(fmt::format("  remark: {}\n", remark));
  if (!plan.note.empty()) tell(fmt::format("  {}\n", plan.note));
  if (plan.saved) tell(fmt::format("  going on from step {}\n", plan.saved->head.step));
  if (scene.shared) return;
  if (scene.start && !plan.saved) {
    tell(fmt::format("  starting from frame {} of {} at t = {}\n", scene.start->frame,
                     scene.start->run, scene.start->t));
  }
  if (scene.settings.output.thinned) {
    tell(fmt::format("  series.csv gets a row every {} steps (output.series_every)\n",
                     scene.settings.output.series_every));
  }
}

namespace {

// Results that a run starts from are gone as soon as it writes its own into their place.
void require_other_folder(const std::filesystem::path& folder, const Scene& scene) {
  std::error_code none;
  if (!scene.start || !std::filesystem::equivalent(folder, scene.start->run, none)) return;
  throw Error(
      fmt::format("{} holds the run that this one starts from; choose another folder with "
                  "-o",
                  folder.string()));
}

// Makes the run, and shows it meanwhile.
int make(const RunOptions& options, const Scene& scene, FolderRun& job, RunViewer* viewer) {
  catch_interrupts();
  at_fatal_error(kStopped);
  Progress progress(scene);
  const RunSummary& summary = job.make(
      [&](const RunMoment& moment) {
        if (viewer) viewer->add(moment);
        if (!options.quiet) progress.show(moment);
        return !interrupted();
      },
      [&] {
        if (!options.quiet) progress.finish();
      });
  try {
    print_summary(scene, summary, job.drift(), job.results());
    if (viewer) viewer->finish(summary);
    const int code = exit_code(options, scene, summary, job.drift(), job.results());
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "stdout");
    return code;
  } catch (const std::system_error& error) {  // nobody reads what is printed
    tell(fmt::format("error: the results could not be written: {}\n", error.what()));
  } catch (const std::bad_alloc&) {
    tell("error: there is not enough memory to say how this run went\n");
  }
  return kStopped;
}

}  // namespace

int run(const RunOptions& options) {
  if (options.scene.scene.empty() && options.resume.empty()) {
    throw Error("run needs a scene, or --resume with the folder of a run to go on with");
  }
  wake_blas();
  PlannedRun plan = plan_run(options);
  const Scene& scene = plan.scene;
  if (plan.saved && !plan.saved->note.empty()) {
    tell(fmt::format("warning: {}; going on from step {}, saved before that\n", plan.saved->note,
                     plan.saved->head.step));
  }
  std::filesystem::path folder = options.resume;
  if (options.resume.empty()) {
    FolderChoice choice = folder_for(options, scene);
    folder = std::move(choice.folder);
    plan.note = std::move(choice.note);
    require_other_folder(folder, scene);
  }
  set_threads(options.threads.value_or(scene.settings.threads));
  // First, as it may fail, and what an earlier run left should stay then.
  std::unique_ptr<RunViewer> viewer;
  if (options.view) viewer = options.serve(scene, options.port);
  FolderRun job(folder, scene, interrupt_flag(), plan.saved ? &*plan.saved : nullptr);
  if (!options.quiet) announce(plan, folder);
  if (viewer && plan.saved) viewer->add(job.run().start());
  return make(options, scene, job, viewer.get());
}

int check(const SceneOptions& options) {
  const std::filesystem::path file = find_scene(options.scene);
  const SceneChanges changes{.settings = options.settings, .steps = {}, .start = options.start};
  const std::vector<InputError> faults = scene_faults(file, changes);
  for (const InputError& fault : faults) tell(fmt::format("error: {}\n", fault.what()));
  if (faults.size() > 1) tell(fmt::format("{} faults\n", faults.size()));
  if (!faults.empty()) return kBadInput;
  const Scene scene = load_scene(file, changes);
  fmt::print("{}: ok: {}, {} with {}\n", file.string(), describe_size(scene), describe_plan(scene),
             describe_method(scene));
  for (const std::string& remark : scene.remarks) fmt::print("  remark: {}\n", remark);
  return kDone;
}

}  // namespace lilyan::cli
