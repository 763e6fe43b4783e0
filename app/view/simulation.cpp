#include "app/view/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/view/encode.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

// Whoever can reach the port may change numbers, but not have files of their choice read.
std::vector<std::string> not_trusted(const PaneRequest& request) {
  std::vector<std::string> settings = request.settings;
  std::erase_if(settings, [&](const std::string& setting) {
    return std::ranges::find(request.trusted, setting) != request.trusted.end();
  });
  return settings;
}

}  // namespace

PaneInfo info_of(const Scene& scene, const PaneRequest& request) {
  return {.scene = request.scene,
          .title = scene.title,
          .method = scene.scheme.label,
          .method_name = scene.method,
          .step = scene.step,
          .steps = scene.variable_steps() ? 0 : scene.steps,
          .system = !scene.coordinates.empty(),
          .vertices = scene.system->vertices(),
          .coordinates = scene.coordinates,
          .settings = request.settings,
          .columns = series_columns(Watch(scene).columns()),
          .obstacles = scene.obstacles,
          .material = material_of(scene),
          .damping = damping_of(scene)};
}

void add_to_path(const State& state, std::vector<double>& path) {
  path.push_back(state.t);
  path.insert(path.end(), state.x.begin(), state.x.end());
  path.insert(path.end(), state.v.begin(), state.v.end());
}

void add_row(const Scene& scene, const State& state, std::vector<double> row, PaneMoment& to) {
  to.row = std::move(row);
  if (!to.row.empty() && !scene.coordinates.empty()) add_to_path(state, to.path);
}

std::vector<double> SeriesFeed::row(const RunMoment& moment) {
  if (!moment.report) {
    watch_.start(moment.state);
    return next_.take(0, moment.state.t, moment.invariants, watch_.values());
  }
  watch_.add(moment.state);
  next_.add(*moment.report);
  if (!moment.last && moment.step % scene_.output.series_every != 0) return {};
  return next_.take(moment.step, moment.state.t, moment.invariants, watch_.values());
}

std::vector<double> SeriesFeed::rest(const RunSummary& summary) {
  if (!next_.pending()) return {};
  return next_.take(summary.steps, summary.t, summary.invariants, watch_.values());
}

Simulation::Simulation(PaneId id, const PaneRequest& request, const std::filesystem::path& file)
    : id_(id),
      scene_(
          load_scene(file, {.settings = request.settings, .without_files = not_trusted(request)})),
      info_(info_of(scene_, request)),
      drift_(*scene_.system, scene_.initial, invariants(*scene_.system, scene_.initial)),
      run_(scene_, drift_, &stop_),
      series_(scene_),
      picture_(scene_),
      hand_(scene_) {
  info_.vertices = picture_.vertices();
}

PaneMoment Simulation::show(const RunMoment& moment) {
  PaneMoment shown{.frame = moment.step,
                   .t = moment.state.t,
                   .picture = picture_.frame(id_, moment.step, moment.state),
                   .done = moment.last};
  add_row(scene_, moment.state, series_.row(moment), shown);
  if (cloud_) shown.cloud = cloud_->picture(id_, moment.step, moment.state.t);
  return shown;
}

PaneMoment Simulation::start() { return show(run_.start()); }

PaneMoment Simulation::step() {
  const double t = run_.state().t;
  hand_.begin_step(t);
  try {
    if (const std::optional<RunMoment> moment = run_.step()) {
      if (cloud_) cloud_->step(moment->state.t - t);
      return show(*moment);
    }
  } catch (const Error& error) {
    run_.fail(error.what());
  }
  const RunSummary& summary = run_.summary();
  PaneMoment end{.frame = summary.steps, .t = summary.t, .done = true, .failed = summary.message};
  add_row(scene_, summary.state, series_.rest(summary), end);
  return end;
}

void Simulation::pull(const std::optional<Pull>& pull) {
  if (!pull) {
    hand_.release();
    return;
  }
  const auto& [x, y, z] = pull->target;
  hand_.pull(run_, picture_.vertex(pull->vertex), {x, y, z});
}

void Simulation::cloud(const CloudRequest& request) {
  cloud_.reset();
  if (request.count == 0) return;
  if (scene_.coordinates.size() != 1) {
    throw Error("a cloud needs a small system with one coordinate");
  }
  cloud_ = std::make_unique<Cloud>(scene_, request, run_.state().t);
}

Message Simulation::cloud_picture() const {
  const int frame = run_.summary().steps;
  const double t = run_.state().t;
  return cloud_ ? cloud_->picture(id_, frame, t) : cloud_message(id_, frame, t, {}, {});
}

}  // namespace lilyan::view
