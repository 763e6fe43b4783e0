#include "app/report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lilyan {
namespace {

// A deviation of exactly nothing has no logarithm; below this it is rounding.
constexpr double kNothing = 1e-17;
// What lies higher is an explosion, beside which nothing else could be seen.
constexpr double kFar = 3;

std::string time_label(Runs runs) {
  return runs.empty() || runs.front()->unit.empty() ? "time" : "time (s)";
}

// One curve of every run, in the colour of its place.
std::vector<PlotSeries> overlaid(Runs runs, Curve curve, bool logarithmic) {
  std::vector<PlotSeries> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->series.empty()) continue;
    PlotSeries series{.x = (*runs[i])[Curve::t],
                      .y = (*runs[i])[curve],
                      .label = runs.size() > 1 ? runs[i]->method : "",
                      .colour = static_cast<int>(i)};
    if (logarithmic) {
      for (double& y : series.y) y = std::max(y, kNothing);
      // At the start nothing has changed yet: that is no result.
      if (series.y.size() > 1) series.y[0] = series.y[1];
    }
    all.push_back(std::move(series));
  }
  return all;
}

bool any(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double v) { return v != 0; });
}

}  // namespace

Figure energy_figure(Runs runs) {
  Figure figure{.title = "Energy, relative to the start",
                .x_label = time_label(runs),
                .y_label = "(H − H₀) / E₀",
                .series = overlaid(runs, Curve::energy_change, false)};
  double lowest = 0;
  double highest = 0;
  for (const PlotSeries& s : figure.series) {
    for (const double y : s.y) {
      if (!std::isfinite(y)) continue;
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
    }
  }
  if (highest > kFar || lowest < -kFar) {
    const double low = std::max(lowest, -kFar);
    const double high = std::min(highest, kFar);
    figure.y_range = PlotRange{low - 0.05 * (high - low), high};
  }
  return figure;
}

Figure energy_error_figure(Runs runs) {
  return {.title = "Energy error",
          .x_label = time_label(runs),
          .y_label = "|relative error|",
          .log_y = true,
          .series = overlaid(runs, Curve::energy_error, true)};
}

FigureGrid momenta_figure(Runs runs) {
  FigureGrid grid;
  const auto add = [&](Curve curve, const char* title, bool promised) {
    if (!promised) return;
    grid.panels.push_back({.title = title,
                           .x_label = time_label(runs),
                           .y_label = "|relative drift|",
                           .log_y = true,
                           .series = overlaid(runs, curve, true)});
  };
  const auto promises = [&](auto member) {
    return std::ranges::any_of(runs, [&](const RunRecord* r) { return r->in_space && r->*member; });
  };
  add(Curve::momentum_drift, "Linear momentum", promises(&RunRecord::linear_invariant));
  add(Curve::spin_drift, "Angular momentum", promises(&RunRecord::angular_invariant));
  return grid;
}

Figure iterations_figure(Runs runs) {
  Figure figure{
      .title = "Iterations of each step", .x_label = time_label(runs), .y_label = "linear solves"};
  for (PlotSeries& s : overlaid(runs, Curve::iterations, false)) {
    if (!any(s.y)) continue;
    // The initial state is no step.
    s.x.erase(s.x.begin());
    s.y.erase(s.y.begin());
    figure.series.push_back(std::move(s));
  }
  return figure;
}

FigureGrid ledger_figure(Runs runs) {
  FigureGrid grid;
  for (const RunRecord* run : runs) {
    if (run->series.empty()) continue;
    Figure figure{.title = runs.size() > 1 ? run->method : "Where the energy went",
                  .x_label = time_label(runs),
                  .y_label = "sum since the start"};
    int colour = 0;
    for (const auto& [curve, label] :
         {std::pair{Curve::method, "method"}, std::pair{Curve::dissipation, "dissipation"},
          std::pair{Curve::work, "work"}, std::pair{Curve::quadrature, "quadrature"},
          std::pair{Curve::solver, "solver"}}) {
      if (any((*run)[curve])) {
        figure.series.push_back(
            {.x = (*run)[Curve::t], .y = (*run)[curve], .label = label, .colour = colour});
      }
      ++colour;
    }
    if (figure.series.empty()) continue;
    // A single curve has no legend.
    if (figure.series.size() == 1) figure.y_label = figure.series[0].label + ", " + figure.y_label;
    grid.panels.push_back(std::move(figure));
  }
  grid.columns = grid.panels.size() > 1 ? 2 : 1;
  return grid;
}

}  // namespace lilyan
