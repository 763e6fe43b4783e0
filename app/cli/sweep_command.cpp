// lilyan sweep: a scene with every combination of some settings, in parallel, and one table of what came out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>

#include "app/cli/batch.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/sweep_plan.hpp"
#include "app/cli/terminal.hpp"
#include "app/files/file.hpp"
#include "app/report/page/report.hpp"
#include "app/report/page/sweep_table.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweepTable = "sweep.csv";
constexpr const char* kSweepFigure = "sweep.svg";
constexpr const char* kSweepPage = "report.html";

// The changes of the scene for each combination.
class Plan {
 public:
  Plan(const SweepOptions& options, const SweepPlan& plan) : options_(options), plan_(plan) {
    common_ = options.scene;
    common_.settings = plan.fixed_settings();
    if (!options.frames) {
      common_.settings.insert(common_.settings.begin(),
                              {"output.report=false", "output.pictures=[]", "output.every=0"});
    }
    duration_ = options.duration ? *options.duration : own_duration();
  }

  [[nodiscard]] SceneChanges changes(std::size_t combination) const {
    SceneChanges changes =
        changes_of_run(common_, plan_.settings(plan_.at(combination)), options_.steps, duration_);
    if (options_.duration) {
      changes.steps.reset();
      changes.duration = options_.duration;
    }
    return changes;
  }

 private:
  // How long the scene lasts by itself. One that needs a swept setting to be read at all lasts as long as the first
  // combination that can be read.
  [[nodiscard]] double own_duration() const {
    const fs::path file = find_scene(options_.scene.scene);
    const SceneChanges own = changes_of_run(common_, {}, options_.steps, 0);
    try {
      return load_scene(file, own).settings.duration;
    } catch (const InputError&) {
    }
    for (std::size_t i = 0; i < plan_.combinations(); ++i) {
      try {
        SceneChanges tried = own;
        for (std::string& s : plan_.settings(plan_.at(i))) tried.settings.push_back(std::move(s));
        return load_scene(file, tried).settings.duration;
      } catch (const InputError&) {
      }
    }
    return 0;
  }

  const SweepOptions& options_;
  const SweepPlan& plan_;
  SceneOptions common_;
  double duration_ = 0;
};

// The first combination that can be read says what is swept. If none can, nothing is run.
Scene read_sample(const fs::path& file, const Plan& plan, std::size_t combinations) {
  std::optional<InputError> first;
  for (std::size_t i = 0; i < combinations; ++i) {
    try {
      return load_scene(file, plan.changes(i));
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  }
  throw *first;
}

void open_folder(const fs::path& folder) {
  std::error_code none;
  if (fs::exists(folder, none) && !fs::exists(folder / kSweepTable) &&
      !(fs::is_directory(folder, none) && fs::is_empty(folder, none))) {
    throw Error(
        fmt::format("{} exists and is not the result of a sweep; choose another folder "
                    "with -o",
                    folder.string()));
  }
  fs::create_directories(folder);
}

void write_results(const fs::path& folder, const Sweep& sweep) {
  replace_file(folder / kSweepTable, sweep_csv(sweep));
  FigureGrid grid{.panels = sweep_figures(sweep), .columns = 2};
  std::error_code none;
  fs::remove(folder / kSweepFigure, none);
  if (!grid.panels.empty()) write_svg(grid, folder / kSweepFigure);
  write_file(folder / kSweepPage, sweep_html(sweep, files_in(folder)));
}

// All combinations, before any of them has run.
Sweep table_of_none(const Scene& sample, const SweepPlan& axes) {
  Sweep table{.title = sample.title,
              .scene = fmt::format("{}: {}", sample.name, describe_size(sample)),
              .unit = std::string(time_unit(sample)),
              .fixed = axes.fixed(),
              .axes = axes.axes()};
  const std::vector<std::string> folders = axes.run_folders();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    table.runs.push_back({.at = axes.at(i), .folder = folders[i]});
  }
  return table;
}

// Prints the table, what went wrong, and where the results are. Returns the exit code.
int tell_outcome(const Sweep& table, const fs::path& folder, std::size_t kept, bool written) {
  fmt::print("{}", as_text(sweep_summary(table)));
  int code = written ? kDone : kStopped;
  for (const SweepRun& run : table.runs) {
    if (run.complete()) continue;
    code = kStopped;
    tell(fmt::format("{}: {}{}{}\n", table.label(run), run.status, run.reason.empty() ? "" : ": ",
                     run.reason));
  }
  if (interrupted()) tell("interrupted: the same command goes on from there\n");
  if (kept > 0) {
    fmt::print("{} of {} combinations were done before (--overwrite runs them again)\n", kept,
               table.runs.size());
  }
  fmt::print("results in {}: sweep.csv, {}report.html, and a folder for each combination\n",
             folder.string(), fs::exists(folder / kSweepFigure) ? "sweep.svg, " : "");
  return code;
}

}  // namespace

int sweep(const SweepOptions& options) {
  const fs::path file = find_scene(options.scene.scene);
  const SweepPlan axes(options.scene.settings, options.methods);
  if (axes.combinations() > static_cast<std::size_t>(options.most)) {
    throw Error(
        fmt::format("these are {} combinations, and at most {} are run without a word: "
                    "--most {} runs them all",
                    axes.combinations(), options.most, axes.combinations()));
  }
  const Plan plan(options, axes);
  const Scene sample = read_sample(file, plan, axes.combinations());
  const fs::path folder = options.output.empty()
                              ? fs::path("results") / axes.folder_name(sample.name, options)
                              : fs::path(options.output);
  open_folder(folder);

  Sweep table = table_of_none(sample, axes);
  catch_interrupts();
  std::vector<std::string> labels;
  for (const SweepRun& run : table.runs) labels.push_back(table.label(run));
  if (!options.quiet) {
    tell(
        fmt::format("{}: {} combinations into {}\n", sample.title, labels.size(), folder.string()));
  }
  CompareProgress progress(labels, options.quiet);
  std::mutex mutex;
  std::size_t kept = 0;
  std::string unwritten;
  replace_file(folder / kSweepTable, sweep_csv(table));
  const auto work = [&](std::size_t i) {
    SweepRun& run = table.runs[i];
    const BatchResult result =
        run_in_folder(file, plan.changes(i), folder / run.folder,
                      options.overwrite ? Earlier::replace : Earlier::keep, progress, i);
    const std::lock_guard lock(mutex);
    kept += result.made ? 0 : 1;
    run.reason = result.message;
    if (result.message.empty()) {
      read_results(folder / run.folder, run);
    } else {
      run.status = "could not run";
    }
    const std::string reason =
        reason_of_failure([&] { replace_file(folder / kSweepTable, sweep_csv(table)); });
    if (unwritten.empty()) unwritten = reason;
  };
  run_at_once(labels.size(), {.at_once = options.threads, .one_thread_each = true}, work);
  progress.finish();
  const std::string reason = reason_of_failure([&] { write_results(folder, table); });
  if (!reason.empty()) unwritten = reason;
  if (!unwritten.empty()) tell(fmt::format("error: {}\n", unwritten));

  return tell_outcome(table, folder, kept, unwritten.empty());
}

}  // namespace lilyan::cli
