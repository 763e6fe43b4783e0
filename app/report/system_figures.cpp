#include "app/report/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/scene/observables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/core/drift.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostRows = 200000;
constexpr std::size_t kMostSectionPoints = 1000000;
constexpr std::size_t kMostShown = 8;   // coordinates over time
constexpr std::size_t kMostPhases = 4;  // panels

// Values that grow over many orders of magnitude can be seen only on a logarithmic axis.
bool needs_logarithm(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return largest > 10;
}

// The number of curves in all plots that the scene asks for.
std::size_t curve_count(const Scene& scene) {
  std::size_t count = 0;
  for (const ObservedPlot& plot : scene.observables->plots) count += plot.curves.size();
  return count;
}

}  // namespace

SystemFigures::SystemFigures(const Scene& scene)
    : scene_(scene),
      shown_(std::min(scene.coordinates.size(), kMostShown)),
      states_(1 + 2 * shown_, kMostRows),
      energies_(6 + scene.observables->invariants.size(), kMostRows),
      plots_(2 * curve_count(scene), kMostRows),
      sections_(scene.observables->events.size()) {}

void SystemFigures::add(const RunMoment& moment, const Watch& watch) {
  const State& s = moment.state;
  const Invariants& at = moment.invariants;
  if (!moment.report) start_energy_ = at.total;
  if (states_.due()) {
    states_.set(0, s.t);
    for (std::size_t i = 0; i < shown_; ++i) {
      states_.set(1 + i, s.x[static_cast<Eigen::Index>(i)]);
      states_.set(1 + shown_ + i, s.v[static_cast<Eigen::Index>(i)]);
    }
  }
  if (energies_.due()) {
    const double work = moment.so_far.ledger.work + moment.so_far.ledger.dissipation;
    const double scale = moment.drift.energy().scale;
    energies_.set(0, s.t);
    energies_.set(1, at.kinetic);
    energies_.set(2, at.total - at.kinetic);
    energies_.set(3, at.total);
    energies_.set(4, (at.total - start_energy_ - work) / (scale > 0 ? scale : 1));
    std::size_t column = 5;
    for (const Watch::Quantity& q : watch.invariants()) {
      energies_.set(column++, (q.now - q.start) / (q.deviation.scale > 0 ? q.deviation.scale : 1));
    }
    energies_.set(column, watch.error());
  }
  if (plots_.due()) {
    const double* values = scene_.observables->plot_values(s);
    for (std::size_t i = 0; i < 2 * curve_count(scene_); ++i) plots_.set(i, values[i]);
  }
  for (const EventHit& hit : moment.events) {
    const auto event = static_cast<std::size_t>(hit.event);
    PlotSeries& points = sections_[event];
    if (scene_.observables->events[event].x.empty() || points.x.size() >= kMostSectionPoints) {
      continue;
    }
    const double* values = scene_.observables->section_values(hit.state);
    points.x.push_back(values[2 * event]);
    points.y.push_back(values[2 * event + 1]);
  }
}

Figure SystemFigures::trajectory() const {
  Figure figure{
      .title = scene_.title, .subtitle = scene_.scheme.label, .x_label = "time", .over_time = true};
  if (shown_ == 1) figure.y_label = scene_.coordinates[0];
  for (std::size_t i = 0; i < shown_; ++i) {
    figure.series.push_back({.x = states_[0], .y = states_[1 + i], .label = scene_.coordinates[i]});
  }
  if (scene_.coordinates.size() > shown_) {
    figure.y_label =
        fmt::format("the first {} of {} coordinates", shown_, scene_.coordinates.size());
  }
  return figure;
}

FigureGrid SystemFigures::phase() const {
  const std::size_t panels = std::min(shown_, kMostPhases);
  FigureGrid grid{.columns = panels > 1 ? 2 : 1};
  for (std::size_t i = 0; i < panels; ++i) {
    Figure figure{.x_label = scene_.coordinates[i], .y_label = scene_.coordinates[i] + "′"};
    if (panels == 1) {
      figure.title = scene_.title;
      figure.subtitle = scene_.scheme.label;
    }
    figure.series.push_back({.x = states_[1 + i], .y = states_[1 + shown_ + i]});
    grid.panels.push_back(std::move(figure));
  }
  if (panels > 1) grid.title = fmt::format("{}, {}", scene_.title, scene_.scheme.label);
  return grid;
}

FigureGrid SystemFigures::energy() const {
  FigureGrid grid{.columns = 1, .title = fmt::format("{}, {}", scene_.title, scene_.scheme.label)};
  Figure parts{.y_label = "energy", .over_time = true};
  for (const auto& [column, label] :
       {std::pair{1, "kinetic"}, std::pair{2, "potential"}, std::pair{3, "total"}}) {
    parts.series.push_back(
        {.x = energies_[0], .y = energies_[static_cast<std::size_t>(column)], .label = label});
  }
  parts.height = 220;
  Figure error{
      .x_label = "time", .y_label = "relative energy error", .over_time = true, .height = 220};
  error.series.push_back({.x = energies_[0], .y = energies_[4]});
  if (needs_logarithm(energies_[4])) {
    for (double& e : error.series[0].y) e = std::abs(e);
    error.log_y = true;
  }
  grid.panels = {parts, error};
  const auto& invariants = scene_.observables->invariants;
  if (!invariants.empty()) {
    Figure drift{.x_label = "time", .y_label = "relative change", .over_time = true, .height = 220};
    for (std::size_t i = 0; i < invariants.size(); ++i) {
      drift.series.push_back(
          {.x = energies_[0], .y = energies_[5 + i], .label = invariants[i].name});
    }
    grid.panels.push_back(drift);
  }
  if (scene_.observables->has_exact) {
    Figure off{
        .x_label = "time", .y_label = "distance from exact", .over_time = true, .height = 220};
    off.series.push_back({.x = energies_[0], .y = energies_[5 + invariants.size()]});
    grid.panels.push_back(off);
  }
  return grid;
}

std::vector<std::pair<std::string, FigureGrid>> SystemFigures::figures() const {
  std::vector<std::pair<std::string, FigureGrid>> all;
  const auto save = [&](Figure figure, const std::string& name) {
    all.push_back({name, {.panels = {std::move(figure)}, .columns = 1}});
  };
  save(trajectory(), "trajectory");
  all.push_back({"phase", phase()});
  all.push_back({"energy", energy()});
  std::size_t column = 0;
  for (const ObservedPlot& plot : scene_.observables->plots) {
    Figure figure{.title = plot.title,
                  .subtitle = scene_.scheme.label,
                  .x_label = plot.x,
                  .y_label = plot.y,
                  .equal_axes = plot.equal};
    if (plot.equal) figure.height = figure.width;
    for (const std::string& label : plot.curves) {
      figure.series.push_back({.x = plots_[column],
                               .y = plots_[column + 1],
                               .label = label,
                               .style = plot.points ? PlotStyle::points : PlotStyle::line});
      column += 2;
    }
    if (plot.curves.size() == 1) figure.series[0].label.clear();
    save(figure, plot.name);
  }
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const ObservedEvent& event = scene_.observables->events[i];
    if (event.x.empty()) continue;
    Figure figure{
        .title = fmt::format("{}: section '{}'", scene_.title, event.name),
        .subtitle = fmt::format("{}, {} points", scene_.scheme.label, sections_[i].x.size()),
        .x_label = event.x,
        .y_label = event.y};
    figure.height = figure.width;
    figure.series.push_back(sections_[i]);
    figure.series.back().style = PlotStyle::points;
    save(figure, "section-" + event.name);
  }
  return all;
}

std::vector<std::string> SystemFigures::write(const std::filesystem::path& folder) const {
  std::vector<std::string> files;
  for (const auto& [name, figure] : figures()) {
    files.push_back(name + ".svg");
    write_svg(figure, folder / files.back());
  }
  return files;
}

}  // namespace lilyan
