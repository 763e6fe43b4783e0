#include "app/distributed/shared_run.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/run_parts.hpp"
#include "app/cli/terminal.hpp"
#include "app/distributed/petsc_directions.hpp"
#include "app/distributed/pieces.hpp"
#include "app/report/folder/choose_folder.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/report/folder/saved_run.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::distributed {
namespace {

namespace fs = std::filesystem;

// What a checkpoint has beside the run itself. The state is in a file of its own, which all processes write.
struct SavedState {
  std::string file;
  double digest = 0;  // of the state
  std::uint64_t start = 0;
  double t = 0;
  double h_previous = 0;
  void archive(Archive& a) { a(file, digest, start, t, h_previous); }
};

// A number for the meshes of a scene. (Velocities at the start may differ in their last digits with the number of
// processes.)
std::uint64_t start_of(const Scene& scene) {
  const State rest{.x = scene.bodies().rest, .v = Vector::Zero(scene.bodies().rest.size())};
  return std::bit_cast<std::uint64_t>(shared_digest(scene, rest));
}

// Directions by PETSc, for a scene that is there when they are asked for.
class PetscMaker final : public DirectionMaker {
 public:
  PetscMaker(const Scene& scene, const MpiDistribution& ranks) : scene_(scene), ranks_(ranks) {}
  [[nodiscard]] std::unique_ptr<DirectionSource> make(const BlockPattern& pattern) const override {
    const NewtonOptions& options = scene_.settings.solver.newton;
    return std::make_unique<PetscDirections>(pattern, *scene_.system, ranks_, options.linear,
                                             options.definiteness);
  }

 private:
  const Scene& scene_;
  const MpiDistribution& ranks_;
};

class SharedRun {
 public:
  SharedRun(const cli::RunOptions& options, const MpiDistribution& ranks)
      : options_(options), ranks_(ranks), first_(ranks.rank() == 0) {
    std::optional<Scene> anew;
    if (!options.resume.empty()) {
      anew = scene_to_begin_anew(options.resume, options.steps, &ranks);
      if (anew) {
        note_ = kBegunAnew;
      } else {
        checkpoint_ = read_checkpoint(options.resume);
      }
    }
    scene_ = anew ? std::move(*anew)
             : checkpoint_
                 ? scene_to_resume(options.resume, *checkpoint_, options.steps, &ranks)
                 : load_scene(find_scene(options.scene.scene), {.settings = options.scene.settings,
                                                                .steps = options.steps,
                                                                .start = options.scene.start,
                                                                .ranks = &ranks});
    scene_.settings.solver.newton.directions = &directions_;
    surface_ = std::make_unique<SurfaceOfAll>(scene_, ranks);
    choose_folder();
    // The processes are there to share the work: threads only if they are asked for.
    set_threads(options.threads.value_or(1));
    drift_ = std::make_unique<DriftTracker>(follow_drift(scene_));
    run_ = std::make_unique<SceneRun>(scene_, *drift_);
    const Opening opening = checkpoint_ ? Opening::resumed : Opening::fresh;
    together(ranks, [&] {
      if (first_) results_ = std::make_unique<ResultFolder>(folder_, scene_, opening);
    });
    if (checkpoint_) resume();
  }

  int to_end() {
    announce();
    cli::catch_interrupts();
    cli::at_fatal_error(cli::kStopped);
    std::optional<cli::Progress> progress;
    if (first_ && !options_.quiet) progress.emplace(scene_);
    const RunSummary& summary = run_to_end(*run_, [&](const RunMoment& moment) {
      take_in(moment);
      if (progress) progress->show(moment);
      save_if_due(moment.step);
      return !ranks_.any(cli::interrupted());
    });
    if (progress) progress->finish();
    const auto attempt = [&](const auto& part) {
      const std::string reason = reason_anywhere(ranks_, reason_of_failure(part));
      if (!reason.empty()) run_->fail(reason);
    };
    const bool written = ranks_.any(first_ && results_->written());
    if (written && pieces_ && last_frame_ != summary.steps) {
      attempt([&] { add_frame(summary.steps, summary.state); });
    }
    if (written && summary.end != RunEnd::failed) attempt([&] { save(); });
    RunSummary shown = summary;
    shown.state = surface_->gather(summary.state);
    attempt([&] {
      if (first_) results_->finish(shown, *drift_);
    });
    double code = cli::kDone;
    if (first_) {
      cli::print_summary(scene_, summary, *drift_, *results_);
      code = cli::exit_code(options_, scene_, summary, *drift_, *results_);
      std::fflush(stdout);
    }
    return static_cast<int>(ranks_.largest(code));
  }

 private:
  void choose_folder() {
    folder_ = options_.resume;
    if (!options_.resume.empty()) return;
    std::string chosen;
    together(ranks_, [&] {
      if (!first_) return;
      std::string name =
          scene_.name + "-" + scene_.settings.method +
          name_of_changes(options_.scene.settings, options_.steps, options_.scene.start);
      if (ranks_.count() > 1) name += fmt::format("-ranks={}", ranks_.count());
      const FolderChoice choice = lilyan::choose_folder({.given = options_.output,
                                                         .name = name,
                                                         .identity = scene_.resolved,
                                                         .overwrite = options_.overwrite});
      chosen = choice.folder.string();
      note_ = choice.note;
    });
    folder_ = ranks_.from_first(chosen);
  }

  void announce() const {
    if (!first_ || options_.quiet) return;
    cli::tell(fmt::format("{}: {}, {} with {} on {} rank{} into {}\n", scene_.title,
                          describe_size(scene_), describe_plan(scene_), describe_method(scene_),
                          ranks_.count(), ranks_.count() == 1 ? "" : "s", folder_.string()));
    for (const std::string& remark : scene_.remarks) {
      cli::tell(fmt::format("  remark: {}\n", remark));
    }
    if (!note_.empty()) cli::tell(fmt::format("  {}\n", note_));
    if (checkpoint_) cli::tell(fmt::format("  going on from step {}\n", run_->summary().steps));
  }

  [[nodiscard]] bool frames() const {
    return scene_.settings.output.every > 0 &&
           std::ranges::find(scene_.settings.output.formats, "vtu") !=
               scene_.settings.output.formats.end();
  }

  void take_in(const RunMoment& moment) {
    const State shown = surface_->gather(moment.state);
    together(ranks_, [&] {
      if (!first_) return;
      results_->add({moment.step,
                     shown,
                     moment.invariants,
                     moment.report,
                     moment.drift,
                     moment.so_far,
                     moment.last,
                     {},
                     {},
                     nullptr});
    });
    if (!frames()) return;
    // The folder is another run's until this one has made a step; then its first frame follows.
    if (!pieces_ && !ranks_.any(first_ && results_->written())) {
      start_ = moment.state;
      return;
    }
    if (!pieces_) {
      pieces_ = std::make_unique<FramePieces>(folder_, scene_, ranks_, Opening::fresh);
      if (start_) add_frame(0, *start_);
      start_.reset();
    }
    if (moment.step % scene_.settings.output.every == 0) add_frame(moment.step, moment.state);
  }

  void add_frame(int step, const State& state) {
    pieces_->add(step, state);
    last_frame_ = step;
  }

  void save_if_due(int step) {
    constexpr auto kInterval = std::chrono::seconds(30);
    const std::optional<int>& every = scene_.settings.output.checkpoint_every;
    const bool due =
        every ? *every > 0 && step % *every == 0
              : ranks_.any(first_ && std::chrono::steady_clock::now() - saved_at_ > kInterval);
    if (due && step > 0) save();
  }

  void save() {
    const State& state = run_->state();
    SavedState saved{.file = fmt::format("checkpoint-{:06}.state", run_->summary().steps),
                     .digest = shared_digest(scene_, state),
                     .start = start_of(scene_),
                     .t = state.t,
                     .h_previous = state.h_previous};
    write_state(folder_ / saved.file, scene_, state, ranks_);
    together(ranks_, [&] {
      if (!first_) return;
      std::string buffer;
      Archive a(&buffer);
      CheckpointHead head{scene_.name, scene_.resolved, run_->summary().steps, run_->summary().t,
                          true};
      a(head, saved, *run_, *results_, last_frame_);
      if (pieces_) pieces_->archive(a);
      write_checkpoint(folder_, buffer);
      results_->show_running(run_->summary(), *drift_);
      remove_saved_states(folder_, {saved.file, saved_file_});
    });
    saved_file_ = saved.file;
    saved_at_ = std::chrono::steady_clock::now();
  }

  void resume() {
    // Everything is looked at before the results of the run are touched.
    SavedState saved;
    Archive a(checkpoint_->content);
    together(ranks_, [&] {
      a(saved);
      if (saved.file.find('/') != std::string::npos) throw Error("it names a file elsewhere");
    });
    if (saved.start != start_of(scene_)) {
      throw InputError({checkpoint_->file.string(), 0, 0},
                       "the scene starts from another state now: a file that it names has changed");
    }
    State state{.t = saved.t, .h_previous = saved.h_previous};
    read_state(folder_ / saved.file, scene_, state, ranks_);
    if (std::bit_cast<std::uint64_t>(shared_digest(scene_, state)) !=
        std::bit_cast<std::uint64_t>(saved.digest)) {
      throw InputError({(folder_ / saved.file).string(), 0, 0}, "the file is damaged");
    }
    saved_file_ = saved.file;
    if (frames()) {
      pieces_ = std::make_unique<FramePieces>(folder_, scene_, ranks_, Opening::resumed);
    }
    together(ranks_, [&] {
      a(*run_);
      if (!first_) return;
      a(*results_, last_frame_);
      if (pieces_) pieces_->archive(a);
      a.require_end();
      replace_file(folder_ / "scene.resolved.toml", scene_.resolved);
      results_->show_running(run_->summary(), *drift_);
    });
    run_->editable_state() = std::move(state);
    last_frame_ = static_cast<int>(ranks_.largest(first_ ? last_frame_ : -1));
  }

  const cli::RunOptions& options_;
  const MpiDistribution& ranks_;
  bool first_;
  std::optional<Checkpoint> checkpoint_;
  Scene scene_;
  PetscMaker directions_{scene_, ranks_};
  std::unique_ptr<SurfaceOfAll> surface_;
  fs::path folder_;
  std::string note_;
  std::unique_ptr<DriftTracker> drift_;
  std::unique_ptr<SceneRun> run_;
  std::unique_ptr<ResultFolder> results_;  // in process 0
  std::unique_ptr<FramePieces> pieces_;
  std::optional<State> start_;  // until the first step is made
  int last_frame_ = -1;
  std::string saved_file_;
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

}  // namespace

int run(const cli::RunOptions& options, const MpiDistribution& ranks, bool& agreed) {
  if (options.scene.scene.empty() && options.resume.empty()) {
    throw Error("run needs a scene, or --resume with the folder of a run to go on with");
  }
  SharedRun shared(options, ranks);
  const int code = shared.to_end();
  agreed = true;
  return code;
}

}  // namespace lilyan::distributed
