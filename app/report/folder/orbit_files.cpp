#include "app/report/folder/orbit_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/run/ensemble.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/invariants.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostOrbitRows = 1'000'000;  // of a file

// As often as the trajectory has a row, or a multiple of it that keeps the file small.
int steps_between_rows(const Scene& scene) {
  const int every = scene.settings.output.every;
  if (every == 0 || scene.settings.variable_steps()) return every;
  const std::size_t rows = (1 + scene.small().orbits.size()) *
                           (1 + static_cast<std::size_t>(scene.settings.steps / every));
  return every * static_cast<int>(1 + rows / kMostOrbitRows);
}

std::string state_columns(const Scene& scene) {
  std::string text = "t";
  for (const std::string& name : scene.small().coordinates) text += "," + name;
  for (const std::string& name : scene.small().coordinates) text += ",v_" + name;
  return text + ",energy_total\n";
}

}  // namespace

OrbitFiles::OrbitFiles(const std::filesystem::path& folder, const Scene& scene, Opening opening)
    : scene_(scene), orbits_(folder / names()[0], opening), every_(steps_between_rows(scene)) {
  if (!scene.small().observables->events.empty()) {
    events_ = std::make_unique<OutputFile>(folder / names()[1], opening);
  }
  if (opening == Opening::resumed) return;
  orbits_.write("orbit," + state_columns(scene));
  if (events_) events_->write("orbit,event," + state_columns(scene));
}

void OrbitFiles::row(OutputFile& file, std::size_t& rows, std::string head,
                     const State& state) const {
  if (++rows > kMostOrbitRows) return;
  head += fmt::format(",{:.17g}", state.t);
  for (const double x : state.x) head += fmt::format(",{:.17g}", x);
  for (const double v : state.v) head += fmt::format(",{:.17g}", v);
  file.write(head + fmt::format(",{:.17g}\n", invariants(*scene_.system, state).total));
}

void OrbitFiles::add(const RunMoment& moment) {
  if (every_ > 0 && (moment.step % every_ == 0 || moment.last)) {
    row(orbits_, rows_, "0", moment.state);
    for (std::size_t k = 0; k < scene_.small().orbits.size(); ++k) {
      row(orbits_, rows_, std::to_string(k + 1),
          moment.report ? moment.ensemble->state(k) : scene_.small().orbits[k]);
    }
  }
  if (!events_ || !moment.report) return;
  const Ensemble& ensemble = *moment.ensemble;
  const auto add_events = [&](std::size_t orbit, std::span<const EventHit> hits) {
    for (const EventHit& hit : hits) {
      const std::string& name =
          scene_.small().observables->events[static_cast<std::size_t>(hit.event)].name;
      row(*events_, event_rows_, fmt::format("{},{}", orbit, name), hit.state);
    }
  };
  add_events(0, moment.events);
  for (std::size_t k = 0; k < ensemble.size(); ++k) add_events(k + 1, ensemble.events(k));
}

void OrbitFiles::finish() {
  orbits_.close();
  if (events_) events_->close();
}

void OrbitFiles::archive(Archive& a) {
  a(orbits_, rows_, event_rows_);
  if (events_) a(*events_);
}

std::string OrbitFiles::note() const {
  std::string text;
  for (const auto& [name, rows] : {std::pair{names()[0], rows_}, {names()[1], event_rows_}}) {
    if (rows <= kMostOrbitRows) continue;
    text += fmt::format("{}{} has the first {} of {} rows", text.empty() ? "" : "; ", name,
                        kMostOrbitRows, rows);
  }
  return text;
}

}  // namespace lilyan
