#include "app/report/axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

constexpr double kLargest = 1e300;    // differences of larger values overflow
constexpr double kNarrowest = 1e-13;  // of a value: the width of the narrowest range around it

struct Extent {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  [[nodiscard]] bool empty() const { return lowest > highest; }
};

bool within(const std::optional<PlotRange>& range, double value) {
  return !range || (value >= range->lowest && value <= range->highest);
}

void require_range(const std::optional<PlotRange>& range, bool logarithmic, const char* name) {
  if (!range) return;
  if (!can_be_shown(range->lowest, logarithmic) || !can_be_shown(range->highest, logarithmic) ||
      range->lowest >= range->highest) {
    throw Error(std::string("a figure's ") + name + "_range is from " +
                std::to_string(range->lowest) + " to " + std::to_string(range->highest) +
                ": it must be finite" + (logarithmic ? ", positive" : "") + " and not empty");
  }
}

// Data, with air around it.
Axis roomy(const Extent& data, bool logarithmic, double air) {
  const Axis tight(data.lowest, data.highest, logarithmic);
  if (data.lowest != data.highest) return tight.widened(tight.extent() * (1 + 2 * air));
  if (logarithmic) return tight.widened(1);
  return tight.widened(data.lowest == 0 ? 2 : std::abs(data.lowest) / 5);
}

// A curve over x, as against an orbit or a cloud.
bool is_graph(const PlotSeries& s) {
  return s.style == PlotStyle::line && s.x.size() > 1 && std::ranges::is_sorted(s.x);
}

}  // namespace

Axis::Axis(double lowest, double highest, bool logarithmic)
    : from_(logarithmic ? std::log10(lowest) : lowest),
      to_(logarithmic ? std::log10(highest) : highest),
      logarithmic_(logarithmic) {
  const double size = std::max({std::abs(from_), std::abs(to_), 1e-280});
  const double missing = kNarrowest * size - (to_ - from_);
  if (missing > 0) {
    from_ -= missing / 2;
    to_ += missing / 2;
  }
}

double Axis::place(double value) const {
  if (!can_be_shown(value, logarithmic_)) return std::numeric_limits<double>::quiet_NaN();
  return ((logarithmic_ ? std::log10(value) : value) - from_) / (to_ - from_);
}

double Axis::lowest() const { return logarithmic_ ? std::pow(10, from_) : from_; }
double Axis::highest() const { return logarithmic_ ? std::pow(10, to_) : to_; }

Ticks Axis::ticks(int most) const {
  return logarithmic_ ? log_ticks(lowest(), highest(), most) : linear_ticks(from_, to_, most);
}

Axis Axis::widened(double extent) const {
  Axis axis = *this;
  const double more = std::max(0.0, extent - (to_ - from_)) / 2;
  axis.from_ -= more;
  axis.to_ += more;
  if (logarithmic_) {
    axis.from_ = std::max(axis.from_, -305.0);
    axis.to_ = std::min(axis.to_, 305.0);
  }
  return axis;
}

bool can_be_shown(double value, bool logarithmic) {
  return std::abs(value) <= kLargest && (!logarithmic || value >= 1 / kLargest);
}

std::optional<std::pair<Axis, Axis>> find_axes(const Figure& figure) {
  require_range(figure.x_range, figure.log_x, "x");
  require_range(figure.y_range, figure.log_y, "y");
  Extent x;
  Extent y;
  // Of the data within the ranges that are given.
  Extent inner_x;
  Extent inner_y;
  bool graphs = true;
  for (const PlotSeries& s : figure.series) {
    if (s.x.size() != s.y.size()) {
      throw Error("a figure's series \"" + s.label + "\" has " + std::to_string(s.x.size()) +
                  " x and " + std::to_string(s.y.size()) + " y: it must have as many of each");
    }
    if (!(s.width >= 0) || !std::isfinite(s.width)) {
      throw Error("a figure's series \"" + s.label + "\" has the width " + std::to_string(s.width) +
                  ": it must not be negative");
    }
    graphs = graphs && (s.x.empty() || is_graph(s));
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!can_be_shown(s.x[i], figure.log_x) || !can_be_shown(s.y[i], figure.log_y)) continue;
      x.add(s.x[i]);
      y.add(s.y[i]);
      if (!within(figure.x_range, s.x[i]) || !within(figure.y_range, s.y[i])) continue;
      inner_x.add(s.x[i]);
      inner_y.add(s.y[i]);
    }
  }
  if (x.empty()) return {};
  if (!inner_x.empty()) {
    x = inner_x;
    y = inner_y;
  }
  const auto axis = [](const std::optional<PlotRange>& range, const Extent& data, bool logarithmic,
                       double air) {
    return range ? Axis(range->lowest, range->highest, logarithmic) : roomy(data, logarithmic, air);
  };
  // Curves over x begin and end at the sides.
  const bool tight = graphs && !figure.log_x && !figure.equal_axes;
  return std::pair{axis(figure.x_range, x, figure.log_x, tight ? 0 : 0.04),
                   axis(figure.y_range, y, figure.log_y, 0.06)};
}

}  // namespace lilyan
