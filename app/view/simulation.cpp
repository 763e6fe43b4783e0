#include "app/view/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "app/files/series.hpp"
#include "app/run/conservation.hpp"
#include "app/run/ensemble.hpp"
#include "app/run/pace.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/view/interaction.hpp"
#include "app/view/pane.hpp"
#include "app/view/picture.hpp"
#include "app/view/session.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan::view {
namespace {

// Settings that do not come from the command line. Anyone who can reach the port may change numbers
// with them, but must not have files of their choice read.
std::vector<std::string> not_trusted(const PaneRequest& request) {
  std::vector<std::string> settings = request.settings;
  std::erase_if(settings, [&](const std::string& setting) {
    return std::ranges::find(request.trusted, setting) != request.trusted.end();
  });
  return settings;
}

PaneInfo info_of(const Scene& scene, const Picture& picture, const PaneRequest& request) {
  return {.scene = request.scene,
          .title = scene.title,
          .method = scene.settings.scheme.label,
          .method_name = scene.settings.method,
          .step = scene.settings.step,
          .steps = scene.settings.variable_steps() ? 0 : scene.settings.steps,
          .duration = scene.settings.duration,
          .period = shortest_period(scene),
          .orbits = scene.small().orbits.size(),
          .system = !scene.has_bodies(),
          .vertices = picture.vertices(),
          .coordinates = scene.small().coordinates,
          .settings = request.settings,
          .columns = series_columns(Watch(scene).columns()),
          .obstacles = scene.bodies().obstacles,
          .fixed = picture.fixed(),
          .links = picture.links(),
          .compare = compared_methods(scene),
          .draw = describe(scene.small().drawing.get()),
          .sections = sections_of(scene),
          .material = scene.bodies().material,
          .damping = scene.bodies().damping};
}

}  // namespace

// Makes moments of a run into moments of a pane: a picture, and the row of series.csv where the
// step has one.
class MomentMaker {
 public:
  // The scene must outlive this.
  explicit MomentMaker(const Scene& scene) : scene_(scene), watch_(scene), picture_(scene) {}

  [[nodiscard]] const Picture& picture() const { return picture_; }

  [[nodiscard]] PaneMoment show(PaneId id, const RunMoment& moment) {
    PaneMoment shown{.frame = moment.step,
                     .t = moment.state.t,
                     .picture = picture_.frame(id, moment.step, moment.state),
                     .done = moment.last};
    shown.row = row(moment);
    add_entry(moment.state, !shown.row.empty(), shown);
    add_sections(moment, shown);
    if (moment.last) shown.verdicts = verdicts(*scene_.system, moment.so_far, moment.drift);
    return shown;
  }

  // The end of a run that failed, with the steps since the last row.
  [[nodiscard]] PaneMoment show_failure(const RunSummary& summary) {
    PaneMoment end{.frame = summary.steps, .t = summary.t, .done = true, .failed = summary.message};
    if (next_.pending()) {
      end.row = next_.take(summary.steps, summary.t, summary.invariants, watch_.take_values());
    }
    return end;
  }

 private:
  // Empty when there is none at this step.
  std::vector<double> row(const RunMoment& moment) {
    if (!moment.report) {
      watch_.start(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
      return next_.take(moment.step, moment.state.t, moment.invariants, watch_.take_values());
    }
    watch_.add(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
    next_.add(*moment.report);
    if (!moment.last && moment.step % scene_.settings.output.series_every != 0) return {};
    return next_.take(moment.step, moment.state.t, moment.invariants, watch_.take_values());
  }

  // The path of a small system has every step; that of one with very many coordinates those with a
  // row.
  void add_entry(const State& state, bool has_row, PaneMoment& to) const {
    constexpr std::size_t kMany = 128;
    const std::size_t n = scene_.small().coordinates.size();
    if (n == 0 || (n > kMany && !has_row)) return;
    add_to_path(state, to.path, scene_.small().drawing.get());
  }

  // Sections of the first orbit come first, then those of the second, and so on.
  void add_sections(const RunMoment& moment, PaneMoment& to) const {
    add_section_points(scene_, moment.events, 0, to.sections);
    for (std::size_t k = 0; moment.ensemble && k < moment.ensemble->size(); ++k) {
      add_section_points(scene_, moment.ensemble->events(k), k + 1, to.sections);
    }
  }

  const Scene& scene_;
  Watch watch_;
  SeriesRow next_;
  Picture picture_;
};

namespace {

class Simulation final : public Pane {
 public:
  Simulation(PaneId id, const PaneRequest& request, const std::filesystem::path& file)
      : id_(id),
        changes_{.settings = request.settings, .without_files = not_trusted(request)},
        scene_(load_scene(file, changes_)),
        moments_(scene_),
        info_(info_of(scene_, moments_.picture(), request)),
        drift_(follow_drift(scene_)),
        run_(scene_, drift_, &stop_),
        pull_(scene_, file, changes_) {}

  [[nodiscard]] const PaneInfo& info() const override { return info_; }
  [[nodiscard]] Message mesh() const override {
    return moments_.picture().mesh(id_, scene_.initial);
  }
  [[nodiscard]] PaneMoment start() override { return show(run_.start()); }
  [[nodiscard]] PaneMoment step() override {
    const double t = run_.state().t;
    pull_.begin_step(t);
    try {
      if (const std::optional<RunMoment> moment = run_.step()) {
        if (cloud_) cloud_->step(moment->state.t - t);
        return show(*moment);
      }
    } catch (const Error& error) {
      run_.fail(error.what());
    }
    return moments_.show_failure(run_.summary());
  }
  void stop() override { stop_ = true; }

  void pull(const std::optional<Pull>& pull) override {
    if (!pull) return pull_.release();
    const auto& [x, y, z] = pull->target;
    pull_.pull(run_, moments_.picture().vertex(pull->vertex), {x, y, z});
  }

  void cloud(const PhaseCloudRequest& request) override {
    cloud_.reset();
    if (request.count == 0) return;
    if (scene_.small().coordinates.size() != 1) {
      throw Error("a cloud needs a small system with one coordinate");
    }
    cloud_.emplace(scene_, request, run_.state().t);
  }

  [[nodiscard]] Message cloud_picture() const override {
    const int frame = run_.summary().steps;
    const double t = run_.state().t;
    return cloud_ ? cloud_->picture(id_, frame, t) : cloud_message(id_, frame, t, {}, {});
  }

 private:
  [[nodiscard]] PaneMoment show(const RunMoment& moment) {
    PaneMoment shown = moments_.show(id_, moment);
    if (cloud_) shown.cloud = cloud_->picture(id_, moment.step, moment.state.t);
    return shown;
  }

  PaneId id_;
  SceneChanges changes_;
  Scene scene_;
  MomentMaker moments_;
  PaneInfo info_;
  DriftTracker drift_;
  std::atomic<bool> stop_ = false;
  SceneRun run_;
  VertexPull pull_;
  std::optional<PhaseCloud> cloud_;
};

constexpr PaneId kOnlyPane{.pane = 0, .run = 1};

}  // namespace

std::unique_ptr<Pane> make_simulation(PaneId id, const PaneRequest& request,
                                      const std::filesystem::path& file) {
  return std::make_unique<Simulation>(id, request, file);
}

struct Broadcast::Parts {
  Parts(const Scene& scene, const ServerOptions& options)
      : moments(scene), session({.scenes = {scene.name}}), server(session, options) {}

  MomentMaker moments;
  Session session;
  Server server;
};

Broadcast::Broadcast(const Scene& scene, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(scene, options)) {
  const Picture& picture = parts_->moments.picture();
  PaneInfo info = info_of(scene, picture, {.scene = scene.name});
  info.watched = true;
  parts_->session.feed(info, kOnlyPane, picture.mesh(kOnlyPane, scene.initial));
}

Broadcast::~Broadcast() = default;

void Broadcast::add(const RunMoment& moment) {
  parts_->session.feed(parts_->moments.show(kOnlyPane, moment));
}

void Broadcast::finish(const RunSummary& summary) {
  if (summary.end != RunEnd::failed && summary.end != RunEnd::interrupted) return;
  PaneMoment end = parts_->moments.show_failure(summary);
  end.interrupted = summary.end == RunEnd::interrupted;
  if (end.interrupted) end.failed.clear();
  parts_->session.feed(std::move(end));
}

unsigned short Broadcast::port() const { return parts_->server.port(); }
std::size_t Broadcast::clients() const { return parts_->session.clients(); }

}  // namespace lilyan::view
