#include "app/view/broadcast.hpp"

namespace lilyan::view {
namespace {

constexpr PaneId kOnly{.pane = 0, .run = 1};

}  // namespace

Broadcast::Broadcast(const Scene& scene, const ServerOptions& options)
    : scene_(scene),
      series_(scene),
      picture_(scene),
      session_({.scenes = {scene.name}}),
      server_(session_, options) {
  PaneInfo info = info_of(scene, {.scene = scene.name});
  info.vertices = picture_.vertices();
  info.watched = true;
  session_.feed(info, kOnly, picture_.mesh(kOnly, scene.initial));
}

void Broadcast::add(const RunMoment& moment) {
  PaneMoment shown{.frame = moment.step,
                   .t = moment.state.t,
                   .picture = picture_.frame(kOnly, moment.step, moment.state),
                   .done = moment.last};
  add_row(scene_, moment.state, series_.row(moment), shown);
  session_.feed(std::move(shown));
}

void Broadcast::finish(const RunSummary& summary) {
  if (summary.end != RunEnd::failed) return;
  PaneMoment end{.frame = summary.steps, .t = summary.t, .done = true, .failed = summary.message};
  add_row(scene_, summary.state, series_.rest(summary), end);
  session_.feed(std::move(end));
}

}  // namespace lilyan::view
