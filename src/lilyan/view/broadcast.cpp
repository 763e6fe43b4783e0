#include "lilyan/view/broadcast.hpp"

namespace lilyan::view {
namespace {

constexpr PaneId kOnly{.pane = 0, .run = 1};

}  // namespace

Broadcast::Broadcast(const Scene& scene, const ServerOptions& options)
    : series_(scene),
      picture_(scene),
      session_({.scenes = {scene.name}}),
      server_(session_, options) {
  PaneInfo info = info_of(scene, {.scene = scene.name});
  info.vertices = picture_.vertices();
  session_.feed(info, kOnly, picture_.mesh(kOnly, scene.initial));
}

void Broadcast::add(const RunMoment& moment) {
  session_.feed({.frame = moment.step,
                 .t = moment.state.t,
                 .picture = picture_.frame(kOnly, moment.step, moment.state),
                 .row = series_.row(moment),
                 .done = moment.last});
}

void Broadcast::finish(const RunSummary& summary) {
  if (summary.end != RunEnd::failed) return;
  session_.feed({.frame = summary.steps,
                 .t = summary.t,
                 .row = series_.rest(summary),
                 .done = true,
                 .failed = summary.message});
}

}  // namespace lilyan::view
