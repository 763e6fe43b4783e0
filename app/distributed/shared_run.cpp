#include "app/distributed/shared_run.hpp"

#include <fmt/format.h>

#include <bit>
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
#include "app/files/file.hpp"
#include "app/report/folder/folder_run.hpp"
#include "app/run/checkpoint.hpp"
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

class SharedRun final : public FolderRun {
 public:
  SharedRun(const fs::path& folder, Scene& scene, const MpiDistribution& ranks,
            const std::optional<Checkpoint>& saved)
      : FolderRun(folder, scene, nullptr),
        ranks_(ranks),
        first_(ranks.rank() == 0),
        surface_(scene, ranks) {
    together(ranks, [&] {
      if (!first_) return;
      results_ =
          std::make_unique<ResultFolder>(folder, scene, saved ? Opening::resumed : Opening::fresh);
    });
    if (saved) resume(*saved);
  }

 private:
  [[nodiscard]] bool frames() const {
    const OutputSettings& output = scene_.settings.output;
    return output.every > 0 && std::ranges::find(output.formats, "vtu") != output.formats.end();
  }

  [[nodiscard]] bool anywhere(bool here) const override { return ranks_.any(first_ && here); }
  [[nodiscard]] std::string reason_anywhere(const std::string& reason) const override {
    return distributed::reason_anywhere(ranks_, reason);
  }

  void take_in(const RunMoment& moment) override {
    const State shown = surface_.gather(moment.state);
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
    if (!pieces_ && !anywhere(results_ && results_->written())) {
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

  void add_last_frame() override {
    const int steps = run_.summary().steps;
    if (pieces_ && last_frame_ != steps) add_frame(steps, run_.state());
  }

  void finish() override {
    const State shown = surface_.gather(run_.state());
    if (first_) results_->finish(run_.summary(), shown, drift_);
  }

  void show_running() {
    if (first_) results_->show_running(run_.summary(), run_.state(), drift_);
  }

  void save() override {
    const State& state = run_.state();
    SavedState saved{.file = fmt::format("checkpoint-{:06}.state", run_.summary().steps),
                     .digest = shared_digest(scene_, state),
                     .start = start_of(scene_),
                     .t = state.t,
                     .h_previous = state.h_previous};
    write_state(folder_ / saved.file, scene_, state, ranks_);
    together(ranks_, [&] {
      if (!first_) return;
      std::string buffer;
      Archive a(&buffer);
      CheckpointHead head{scene_.name, scene_.resolved, run_.summary().steps, run_.summary().t,
                          true};
      a(head, saved, run_, *results_, last_frame_);
      if (pieces_) pieces_->archive(a);
      write_checkpoint(folder_, buffer);
      show_running();
      remove_saved_states(folder_, {saved.file, saved_file_});
    });
    saved_file_ = saved.file;
  }

  void resume(const Checkpoint& checkpoint) {
    // Everything is looked at before the results of the run are touched.
    SavedState saved;
    Archive a(checkpoint.content);
    together(ranks_, [&] {
      a(saved);
      if (saved.file.find('/') != std::string::npos) throw Error("it names a file elsewhere");
    });
    if (saved.start != start_of(scene_)) {
      throw InputError({checkpoint.file.string(), 0, 0},
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
      a(run_);
      if (!first_) return;
      a(*results_, last_frame_);
      if (pieces_) pieces_->archive(a);
      a.require_end();
      replace_file(folder_ / "scene.resolved.toml", scene_.resolved);
      show_running();
    });
    run_.editable_state() = std::move(state);
    last_frame_ = static_cast<int>(ranks_.largest(first_ ? last_frame_ : -1));
  }

  const MpiDistribution& ranks_;
  bool first_;
  SurfaceOfAll surface_;
  std::unique_ptr<FramePieces> pieces_;
  std::optional<State> start_;  // until the first step is made
  int last_frame_ = -1;
  std::string saved_file_;
};

// The folder that process 0 has chosen.
fs::path choose_folder(const cli::RunOptions& options, cli::PlannedRun& plan,
                       const MpiDistribution& ranks) {
  if (!options.resume.empty()) return options.resume;
  FolderChoice choice;
  together(ranks, [&] {
    if (ranks.rank() != 0) return;
    choice = cli::folder_for(options, plan.scene,
                             ranks.count() > 1 ? fmt::format("-ranks={}", ranks.count()) : "");
  });
  plan.note = choice.note;
  return ranks.from_first(choice.folder.string());
}

}  // namespace

int run(const cli::RunOptions& options, const MpiDistribution& ranks, bool& agreed) {
  if (options.scene.scene.empty() && options.resume.empty()) {
    throw Error("run needs a scene, or --resume with the folder of a run to go on with");
  }
  const bool first = ranks.rank() == 0;
  cli::PlannedRun plan = cli::plan_run(options, &ranks);
  Scene& scene = plan.scene;
  const PetscMaker directions(scene, ranks);
  scene.settings.solver.newton.directions = &directions;
  // The processes are there to share the work: threads only if they are asked for.
  set_threads(options.threads.value_or(1));
  const fs::path folder = choose_folder(options, plan, ranks);
  SharedRun shared(folder, scene, ranks, plan.saved);
  const bool talks = first && !options.quiet;
  if (talks) {
    cli::announce(plan, folder,
                  fmt::format(" on {} rank{}", ranks.count(), ranks.count() == 1 ? "" : "s"));
  }
  cli::catch_interrupts();
  cli::at_fatal_error(cli::kStopped);
  std::optional<cli::Progress> progress;
  if (talks) progress.emplace(scene);
  const RunSummary& summary = shared.make(
      [&](const RunMoment& moment) {
        if (progress) progress->show(moment);
        return !ranks.any(cli::interrupted());
      },
      [&] {
        if (progress) progress->finish();
      });
  double code = cli::kDone;
  if (first) {
    cli::print_summary(scene, summary, shared.drift(), shared.results());
    code = cli::exit_code(options, scene, summary, shared.drift(), shared.results());
    std::fflush(stdout);
  }
  agreed = true;
  return static_cast<int>(ranks.largest(code));
}

}  // namespace lilyan::distributed
