#include "app/report/record/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "app/run/ensemble.hpp"
#include "app/run/pace.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"

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

constexpr std::size_t kMostFirstRows = 20000;
constexpr std::size_t kMostPortraitRows = 400000;  // of all orbits
constexpr double kShownPeriods = 12;
constexpr double kManyPeriods = 40;  // a few more than this are shown all the same

// What can be seen of a state: its energy, and where its parts are.
std::vector<double> seen_of(const Scene& scene, const State& s) {
  std::vector<double> values = {invariants(*scene.system, s).total};
  if (!scene.small().drawing) return values;
  const std::span<const double> places = scene.small().drawing->places(s);
  values.insert(values.end(), places.begin(), places.end());
  return values;
}

// Whether a coordinate is an angle: what can be seen depends on it, and is the same after a full turn.
// It is tried at some states around the initial one.
bool is_angle(const Scene& scene, std::size_t coordinate) {
  const auto at = static_cast<Eigen::Index>(coordinate);
  bool depends = false;
  for (int trial = 0; trial < 4; ++trial) {
    State s = scene.initial;
    for (Eigen::Index i = 0; i < s.x.size(); ++i) {
      const double k = static_cast<double>(1 + trial * s.x.size() + i);
      s.x[i] += 0.9 * std::sin(2.3 * k) * trial;
      s.v[i] += 0.7 * std::sin(3.1 * k) * trial;
    }
    const std::vector<double> here = seen_of(scene, s);
    const auto largest_change = [&](double turn) {
      State moved = s;
      moved.x[at] += turn;
      const std::vector<double> there = seen_of(scene, moved);
      double change = 0;
      for (std::size_t k = 0; k < here.size(); ++k) {
        const double d = std::abs(there[k] - here[k]) / (1 + std::abs(here[k]));
        if (!(d <= change)) change = d;  // also where it is not a number
      }
      return change;
    };
    constexpr double kSame = 1e-9;
    if (!(largest_change(2 * std::numbers::pi) < kSame)) return false;
    depends = depends || largest_change(1) > kSame;
  }
  return depends;
}

// Puts an angle between −π and π. A line is broken where it jumps from one to the other.
void wrap(PlotSeries& series, std::vector<double>& angle) {
  std::vector<double> x, y;
  const bool horizontal = &angle == &series.x;
  double before = 0;
  for (std::size_t i = 0; i < angle.size(); ++i) {
    const double turns = std::round(angle[i] / (2 * std::numbers::pi));
    if (i > 0 && turns != before) {
      x.push_back(std::nan(""));
      y.push_back(std::nan(""));
    }
    before = turns;
    const double wrapped = angle[i] - 2 * std::numbers::pi * turns;
    x.push_back(horizontal ? wrapped : series.x[i]);
    y.push_back(horizontal ? series.y[i] : wrapped);
  }
  series.x = std::move(x);
  series.y = std::move(y);
}

bool is_dense(const Figure& figure) {
  return std::ranges::any_of(figure.series,
                             [](const PlotSeries& s) { return s.density.has_value(); });
}

// The number of curves in all plots that the scene asks for.
std::size_t curve_count(const Scene& scene) {
  std::size_t count = 0;
  for (const ObservedPlot& plot : scene.small().observables->plots) count += plot.curves.size();
  return count;
}

}  // namespace

SystemFigures::SystemFigures(const Scene& scene)
    : scene_(scene),
      shown_(std::min(scene.small().coordinates.size(), kMostShown)),
      begin_(4 + 2 * shown_, kMostFirstRows),
      states_(1 + 2 * shown_, kMostRows),
      energies_(6 + scene.small().observables->invariants.size(), kMostRows),
      plots_(2 * curve_count(scene), kMostRows),
      motion_(scene.small().drawing && !scene.small().drawing->empty() ? scene.small().drawing.get()
                                                                       : nullptr),
      sections_(scene.small().observables->events.size()),
      portraits_(shown_ == 1 ? 2 * scene.small().orbits.size() : 0,
                 std::clamp<std::size_t>(kMostPortraitRows / (1 + scene.small().orbits.size()), 500,
                                         kMostFirstRows)),
      orbit_sections_(scene.small().orbits.size() * scene.small().observables->events.size()) {
  for (std::size_t i = 0; i < shown_; ++i) angles_.push_back(is_angle(scene, i));
}

void SystemFigures::add(const RunMoment& moment, const Watch& watch) {
  const State& s = moment.state;
  const Invariants& at = moment.invariants;
  if (!moment.report) start_energy_ = at.total;
  const auto set_state = [&](ThinnedTable& table) {
    table.set(0, s.t);
    for (std::size_t i = 0; i < shown_; ++i) {
      table.set(1 + i, s.x[static_cast<Eigen::Index>(i)]);
      table.set(1 + shown_ + i, s.v[static_cast<Eigen::Index>(i)]);
    }
  };
  if (begin_[0].size() < kMostFirstRows) {
    set_state(begin_);
    const std::size_t energies = 1 + 2 * shown_;
    begin_.set(energies, at.kinetic);
    begin_.set(energies + 1, at.total - at.kinetic);
    begin_.set(energies + 2, at.total);
  }
  if (states_.due()) set_state(states_);
  motion_.add(s);
  if (energies_.due()) {
    const double work = moment.so_far.ledger.work + moment.so_far.ledger.dissipation;
    energies_.set(0, s.t);
    energies_.set(1, at.kinetic);
    energies_.set(2, at.total - at.kinetic);
    energies_.set(3, at.total);
    energies_.set(4, at.total - start_energy_ - work);
    std::size_t column = 5;
    for (const Watch::Quantity& q : watch.invariants()) {
      energies_.set(column++, q.now - q.start);
    }
    energies_.set(column, watch.error());
  }
  if (plots_.due()) {
    const double* values = scene_.small().observables->plot_values(s);
    for (std::size_t i = 0; i < 2 * curve_count(scene_); ++i) plots_.set(i, values[i]);
  }
  const std::size_t most = kMostSectionPoints / (1 + scene_.small().orbits.size());
  for (const EventHit& hit : moment.events) {
    add_section_point(hit, sections_[static_cast<std::size_t>(hit.event)], most);
  }
  if (!scene_.small().orbits.empty()) add_orbits(moment);
}

void SystemFigures::finish(const DriftTracker& drift, const Watch& watch) {
  std::size_t column = 4;
  const auto in_shares = [&](const Deviation& deviation) {
    const double size = deviation.size().value;
    if (size > 0) energies_.divide(column, size);
    ++column;
  };
  in_shares(drift.energy());
  for (const Watch::Quantity& q : watch.invariants()) in_shares(q.deviation);
}

void SystemFigures::add_section_point(const EventHit& hit, PlotSeries& points,
                                      std::size_t most) const {
  const auto event = static_cast<std::size_t>(hit.event);
  if (scene_.small().observables->events[event].x.empty() || points.x.size() >= most) return;
  const double* values = scene_.small().observables->section_values(hit.state);
  points.x.push_back(values[2 * event]);
  points.y.push_back(values[2 * event + 1]);
}

void SystemFigures::add_orbits(const RunMoment& moment) {
  const std::size_t events = scene_.small().observables->events.size();
  const std::size_t most = kMostSectionPoints / (1 + scene_.small().orbits.size());
  for (std::size_t k = 0; moment.report && k < scene_.small().orbits.size(); ++k) {
    for (const EventHit& hit : moment.ensemble->events(k)) {
      add_section_point(hit, orbit_sections_[k * events + static_cast<std::size_t>(hit.event)],
                        most);
    }
  }
  if (!portraits_.due()) return;
  for (std::size_t k = 0; k < scene_.small().orbits.size(); ++k) {
    const State& s = moment.report ? moment.ensemble->state(k) : scene_.small().orbits[k];
    portraits_.set(2 * k, s.x[0]);
    portraits_.set(2 * k + 1, s.v[0]);
  }
}

double SystemFigures::window() const {
  if (states_.empty()) return 0;
  const double length = states_[0].back() - states_[0].front();
  double periods = 0;
  // One that turns round and round goes up and down with its velocity.
  for (std::size_t i = 0; i < shown_; ++i) {
    const std::size_t column = wrapped(i) ? 1 + shown_ + i : 1 + i;
    periods = std::max(periods, ups_through_mean(states_[column]));
  }
  return periods > kManyPeriods ? length * kShownPeriods / periods : length;
}

bool SystemFigures::wrapped(std::size_t coordinate) const {
  if (!angles_[coordinate] || states_.empty()) return false;
  const auto turns = [](const std::vector<double>& angle) {
    const auto [least, largest] = std::ranges::minmax(angle);
    return largest - least > 2 * std::numbers::pi;
  };
  for (std::size_t k = 0; !portraits_.empty() && k < scene_.small().orbits.size(); ++k) {
    if (turns(portraits_[2 * k])) return true;
  }
  return turns(states_[1 + coordinate]);
}

std::string SystemFigures::label(std::size_t coordinate) const {
  return scene_.small().coordinates[coordinate] + (wrapped(coordinate) ? " (mod 2π)" : "");
}

Figure SystemFigures::trajectory(const ThinnedTable& states, double end) const {
  Figure figure{.title = scene_.title,
                .subtitle = scene_.settings.scheme.label,
                .x_label = "time",
                .over_time = true};
  if (shown_ == 1) figure.y_label = label(0);
  const std::vector<double>& t = states[0];
  const auto rows = std::ranges::upper_bound(t, end) - t.begin();
  for (std::size_t i = 0; i < shown_; ++i) {
    const std::vector<double>& q = states[1 + i];
    PlotSeries series{
        .x = {t.begin(), t.begin() + rows}, .y = {q.begin(), q.begin() + rows}, .label = label(i)};
    if (wrapped(i)) {
      wrap(series, series.y);
      // A break keeps its time: the times of a curve never decrease.
      for (std::size_t k = 1; k < series.x.size(); ++k) {
        if (std::isnan(series.x[k])) series.x[k] = series.x[k - 1];
      }
    }
    figure.series.push_back(std::move(series));
  }
  if (scene_.small().coordinates.size() > shown_) {
    figure.y_label =
        fmt::format("the first {} of {} coordinates", shown_, scene_.small().coordinates.size());
  }
  return figure;
}

FigureGrid SystemFigures::trajectory() const {
  FigureGrid grid{.columns = 1};
  if (states_.empty()) return grid;
  Figure whole = thinned(trajectory(states_, states_[0].back()));
  const double end = states_[0].front() + window();
  if (!is_dense(whole)) {
    grid.panels.push_back(std::move(whole));
    return grid;
  }
  if (end < states_[0].back()) {
    const bool kept = begin_[0].back() >= end;
    Figure first = trajectory(kept ? begin_ : states_, end);
    first.title += ", the first periods";
    first.apart = true;
    grid.panels.push_back(thinned(first));
  }
  whole.title += ", the whole run";
  if (shown_ == 1 || shown_ > kMostPhases) {
    grid.panels.push_back(std::move(whole));
    return grid;
  }
  // Densities on top of each other could not be told apart.
  for (std::size_t i = 0; i < shown_; ++i) {
    Figure alone = whole;
    alone.y_label = label(i);
    alone.series = {whole.series[i]};
    alone.series[0].label.clear();
    alone.series[0].colour = static_cast<int>(i);
    grid.panels.push_back(std::move(alone));
  }
  return grid;
}

FigureGrid SystemFigures::phase() const {
  const std::size_t panels = std::min(shown_, kMostPhases);
  FigureGrid grid{.columns = panels > 1 ? 2 : 1};
  for (std::size_t i = 0; i < panels; ++i) {
    Figure figure{.x_label = label(i), .y_label = scene_.small().coordinates[i] + "′"};
    if (panels == 1) {
      figure.title = scene_.title;
      figure.subtitle = scene_.settings.scheme.label;
    }
    const auto add = [&](const std::vector<double>& q, const std::vector<double>& v, int colour) {
      PlotSeries series{.x = q, .y = v, .colour = colour};
      if (wrapped(i)) wrap(series, series.x);
      figure.series.push_back(std::move(series));
    };
    add(states_[1 + i], states_[1 + shown_ + i], 0);
    for (std::size_t k = 0; !portraits_.empty() && k < scene_.small().orbits.size(); ++k) {
      add(portraits_[2 * k], portraits_[2 * k + 1], static_cast<int>(k) + 1);
    }
    grid.panels.push_back(std::move(figure));
  }
  if (panels > 1) grid.title = fmt::format("{}, {}", scene_.title, scene_.settings.scheme.label);
  return grid;
}

Figure SystemFigures::section(std::size_t event) const {
  const ObservedEvent& of = scene_.small().observables->events[event];
  Figure figure{.title = fmt::format("{}: section '{}'", scene_.title, of.name),
                .x_label = of.x,
                .y_label = of.y};
  figure.height = figure.width;
  std::size_t points = 0;
  for (std::size_t k = 0; k <= scene_.small().orbits.size(); ++k) {
    figure.series.push_back(k == 0 ? sections_[event]
                                   : orbit_sections_[(k - 1) * sections_.size() + event]);
    figure.series.back().style = PlotStyle::points;
    figure.series.back().colour = static_cast<int>(k);
    points += figure.series.back().x.size();
  }
  figure.subtitle = fmt::format("{}, {} points", scene_.settings.scheme.label, points);
  if (!scene_.small().orbits.empty()) {
    figure.subtitle += fmt::format(" of {} orbits", 1 + scene_.small().orbits.size());
  }
  return figure;
}

Figure SystemFigures::energy_parts() const {
  const auto made = [](const ThinnedTable& table, std::size_t first, double end) {
    Figure parts{.title = "Energy: the parts and their sum",
                 .x_label = "time",
                 .over_time = true,
                 .height = 220};
    const auto rows = std::ranges::upper_bound(table[0], end) - table[0].begin();
    for (const auto& [column, label, colour] :
         {std::tuple{first, "kinetic", 1}, std::tuple{first + 1, "potential", 2},
          std::tuple{first + 2, "sum", 0}}) {
      const std::vector<double>& values = table[column];
      parts.series.push_back({.x = {table[0].begin(), table[0].begin() + rows},
                              .y = {values.begin(), values.begin() + rows},
                              .label = label,
                              .colour = colour});
    }
    return parts;
  };
  Figure whole = thinned(made(energies_, 1, energies_[0].back()));
  const double end = states_[0].front() + window();
  if (!is_dense(whole) || begin_[0].back() < end) return whole;
  Figure first = made(begin_, 1 + 2 * shown_, end);
  first.title += ", the first periods";
  first.apart = true;
  return first;
}

FigureGrid SystemFigures::energy() const {
  FigureGrid grid{.columns = 1,
                  .title = fmt::format("{}, {}", scene_.title, scene_.settings.scheme.label)};
  Figure error{
      .x_label = "time", .y_label = "relative energy error", .over_time = true, .height = 220};
  error.series.push_back({.x = energies_[0], .y = energies_[4]});
  if (needs_logarithm(energies_[4])) {
    for (double& e : error.series[0].y) e = std::abs(e);
    error.log_y = true;
  }
  grid.panels = {energy_parts(), error};
  const auto& invariants = scene_.small().observables->invariants;
  if (!invariants.empty()) {
    Figure drift{.x_label = "time", .y_label = "relative change", .over_time = true, .height = 220};
    for (std::size_t i = 0; i < invariants.size(); ++i) {
      drift.series.push_back(
          {.x = energies_[0], .y = energies_[5 + i], .label = invariants[i].name});
    }
    grid.panels.push_back(drift);
  }
  if (scene_.small().observables->has_exact) {
    Figure off{
        .x_label = "time", .y_label = "distance from exact", .over_time = true, .height = 220};
    off.series.push_back({.x = energies_[0], .y = energies_[5 + invariants.size()]});
    grid.panels.push_back(off);
  }
  return grid;
}

std::vector<std::pair<std::string, FigureGrid>> SystemFigures::figures() const {
  std::vector<std::pair<std::string, FigureGrid>> all;
  // A run may fail before its first row.
  if (states_.empty() || energies_.empty()) return all;
  const auto save = [&](Figure figure, const std::string& name) {
    all.push_back({name, {.panels = {std::move(figure)}, .columns = 1}});
  };
  all.push_back({"trajectory", trajectory()});
  all.push_back({"phase", phase()});
  all.push_back({"energy", energy()});
  std::size_t column = 0;
  for (const ObservedPlot& plot : scene_.small().observables->plots) {
    Figure figure{.title = plot.title,
                  .subtitle = scene_.settings.scheme.label,
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
    const ObservedEvent& event = scene_.small().observables->events[i];
    if (!event.x.empty()) save(section(i), "section-" + event.name);
  }
  for (auto& [name, grid] : all) {
    for (Figure& panel : grid.panels) panel = thinned(panel);
  }
  return all;
}

std::vector<std::string> write_figures(
    const std::vector<std::pair<std::string, FigureGrid>>& figures,
    const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& [name, figure] : figures) {
    files.push_back(name + ".svg");
    write_svg(figure, folder / files.back());
  }
  return files;
}

}  // namespace lilyan
