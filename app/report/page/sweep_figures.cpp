// The figures of a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/report/page/sweep_table.hpp"

namespace lilyan {
namespace {

constexpr double kDrawnZero = 1e-17;  // where zero is drawn on a logarithmic axis

// Values of an axis as places on the horizontal axis of a figure.
struct SweepPlaces {
  std::size_t axis = 0;
  std::vector<double> x;  // of each value
  bool numbers = true;    // otherwise places count from 1
  std::string label;
  bool logarithmic = false;
};

SweepPlaces sweep_places(const Sweep& sweep) {
  constexpr double kWide = 2.5;  // from there on an axis is logarithmic
  SweepPlaces places;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    const SweepAxis& axis = sweep.axes[a];
    std::vector<double> x;
    for (const std::string& value : axis.values) {
      if (const auto number = number_of_text(value)) x.push_back(*number);
    }
    if (x.size() != axis.values.size() || x.size() < 2) continue;
    const auto [least, largest] = std::ranges::minmax(x);
    places = {.axis = a, .x = x, .label = axis.name};
    places.logarithmic = least > 0 && largest >= kWide * least;
    if (axis.key == "integrator.step" && !sweep.unit.empty()) places.label += " (s)";
    return places;
  }
  // Words: the first axis that has more than one.
  while (sweep.axes[places.axis].values.size() < 2 && places.axis + 1 < sweep.axes.size()) {
    ++places.axis;
  }
  const SweepAxis& axis = sweep.axes[places.axis];
  places.numbers = false;
  places.label = axis.name + ":";
  for (std::size_t k = 0; k < axis.values.size(); ++k) {
    places.x.push_back(static_cast<double>(k + 1));
    places.label += fmt::format(" {} {}", k + 1, axis.values[k]);
  }
  return places;
}

// The runs that differ only by the value of one axis, and what they have in common.
struct SweepGroup {
  std::string label;
  std::vector<const SweepRun*> runs;
};

std::vector<SweepGroup> sweep_groups(const Sweep& sweep, std::size_t axis) {
  std::vector<SweepGroup> groups;
  for (const SweepRun& run : sweep.runs) {
    std::string label;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      const SweepAxis& other = sweep.axes[a];
      if (a == axis || other.values.size() < 2) continue;
      const std::string& value = other.values[run.at[a]];
      label += label.empty() ? "" : ", ";
      label += other.name == "method" ? value : fmt::format("{} = {}", other.name, value);
    }
    auto group = std::ranges::find(groups, label, &SweepGroup::label);
    if (group == groups.end()) group = groups.insert(groups.end(), SweepGroup{.label = label});
    group->runs.push_back(&run);
  }
  return groups;
}

// Adds a curve with its points for each group, where x and y are known.
template <class X, class Y>
Figure with_sweep_curves(Figure figure, const std::vector<SweepGroup>& groups, bool line,
                         const X& x, const Y& y) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::pair<double, double>> points;
    for (const SweepRun* run : groups[g].runs) {
      if (!run->complete()) continue;
      const std::optional<double> px = x(*run);
      const std::optional<double> py = y(*run);
      if (px && py) points.emplace_back(*px, figure.log_y ? std::max(*py, kDrawnZero) : *py);
    }
    if (points.empty()) continue;
    if (line) std::ranges::sort(points);
    PlotSeries marks{.label = line && points.size() > 1 ? "" : groups[g].label,
                     .style = PlotStyle::points,
                     .colour = static_cast<int>(g)};
    for (const auto& [px, py] : points) {
      marks.x.push_back(px);
      marks.y.push_back(py);
    }
    if (line && points.size() > 1) {
      figure.series.push_back(
          {.x = marks.x, .y = marks.y, .label = groups[g].label, .colour = static_cast<int>(g)});
    }
    figure.series.push_back(std::move(marks));
  }
  return figure;
}

}  // namespace

std::vector<Figure> sweep_figures(const Sweep& sweep) {
  if (sweep.axes.empty()) return {};
  const SweepPlaces places = sweep_places(sweep);
  const std::vector<SweepGroup> groups = sweep_groups(sweep, places.axis);
  std::vector<Figure> figures;
  const auto keep = [&](Figure figure) {
    const bool any = std::ranges::any_of(figure.series, [](const PlotSeries& s) {
      return std::ranges::any_of(s.y, [](double y) { return y > kDrawnZero; });
    });
    if (any) figures.push_back(std::move(figure));
  };
  const auto over_axis = [&](const std::string& title, const std::string& y_label, bool log_y,
                             const auto& y) {
    keep(with_sweep_curves(
        {.title = title,
         .x_label = places.label,
         .y_label = y_label,
         .log_x = places.logarithmic,
         .log_y = log_y},
        groups, places.numbers,
        [&](const SweepRun& run) -> std::optional<double> { return places.x[run.at[places.axis]]; },
        y));
  };
  const auto column = [](std::string name) {
    return [name = std::move(name)](const SweepRun& run) { return run.number(name); };
  };
  over_axis("Energy error", "|relative error|", true, column("energy_error"));
  over_axis("Linear momentum", "|relative drift|", true, column("momentum_error"));
  over_axis("Angular momentum", "|relative drift|", true, column("angular_momentum_error"));
  for (const std::string& name : sweep.columns()) {
    constexpr std::string_view kBegin = "invariant_";
    constexpr std::string_view kEnd = "_error";
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    over_axis(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()),
              "|relative change|", true, column(name));
  }
  over_axis("Distance from the exact solution", "at the end", true, column("exact_error"));
  over_axis("Iterations of a step", "linear solves", false,
            [](const SweepRun& run) -> std::optional<double> {
              const double steps = run.number("steps").value_or(0);
              const std::optional<double> all = run.number("iterations");
              return steps > 0 && all ? std::optional(*all / steps) : std::nullopt;
            });
  over_axis("Cost", "processor time (s)", true, column("processor_seconds"));
  const bool exact = std::ranges::any_of(
      sweep.runs, [](const SweepRun& run) { return run.number("exact_error").has_value(); });
  keep(with_sweep_curves({.title = "Work and precision",
                          .x_label = "processor time (s)",
                          .y_label = exact ? "distance from the exact solution" : "energy error",
                          .log_x = true,
                          .log_y = true},
                         groups, places.numbers, column("processor_seconds"),
                         column(exact ? "exact_error" : "energy_error")));
  return figures;
}

}  // namespace lilyan
