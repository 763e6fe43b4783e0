
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "app/report/picture/figure.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostPoints = 24'000;  // of a figure
constexpr double kCloseStrokes = 1;          // points of the page: strokes so close leave no gaps
constexpr std::size_t kFewPoints = 4'000;    // of a line: not worth looking for hidden parts
constexpr std::size_t kStretches = 1'000;    // of a curve: two for each point of the page, and more
constexpr double kFinest = 0.5;      // points of the page: details smaller than this are lost
constexpr double kCell = 2.5;        // points of the page: the side of a cell of a density
constexpr double kLeastArea = 0.02;  // of the page, that a line must touch to be drawn as one
constexpr double kInnerShare = 0.5;  // of its cells, that must lie among others
constexpr double kFaintest = 3;      // level of a cell where the line has been at all
constexpr std::size_t kFewestOfArea = 1'000;  // points of a line: fewer fill no area
constexpr std::size_t kSampledPoints = 1'000;
constexpr std::size_t kBreak = std::numeric_limits<std::size_t>::max();

struct PagePoint {
  double x = 0;
  double y = 0;
  [[nodiscard]] bool finite() const { return std::isfinite(x) && std::isfinite(y); }
};

using Indices = std::vector<std::size_t>;

// A page cut into small squares. It knows which of them have something in them.
class Squares {
 public:
  Squares(double width, double height, double size)
      : size_(size),
        columns_(static_cast<std::size_t>(width / size) + 1),
        rows_(static_cast<std::size_t>(height / size) + 1),
        taken_(columns_ * rows_, 0) {}

  // Both functions return whether they touched a square that was empty before.
  bool add(const PagePoint& p) {
    const auto cell = [this](double at, std::size_t count) {
      return static_cast<std::size_t>(std::clamp(at / size_, 0.0, static_cast<double>(count - 1)));
    };
    return std::exchange(taken_[cell(p.y, rows_) * columns_ + cell(p.x, columns_)], 1) == 0;
  }
  bool add_segment(const PagePoint& a, const PagePoint& b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const int steps = static_cast<int>(1.5 * std::max(std::abs(dx), std::abs(dy)) / size_) + 1;
    bool is_new = add(b);
    for (int i = 0; i < steps; ++i) {
      is_new |= add({a.x + i * (dx / steps), a.y + i * (dy / steps)});
    }
    return is_new;
  }

 private:
  double size_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<char> taken_;
};

// Leaves out points that are nearer than `distance` to the one kept before. Points that are not
// finite become breaks of the line.
Indices points_apart(std::span<const PagePoint> points, double distance) {
  Indices kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].finite()) {
      if (!kept.empty() && kept.back() != kBreak) kept.push_back(kBreak);
      continue;
    }
    const bool ends = i + 1 == points.size() || !points[i + 1].finite();
    if (!ends && !kept.empty() && kept.back() != kBreak) {
      const PagePoint& before = points[kept.back()];
      if (std::hypot(points[i].x - before.x, points[i].y - before.y) < distance) continue;
    }
    kept.push_back(i);
  }
  return kept;
}

// Leaves out segments that lie on top of others. Segments must be longer than a square is wide: then
// a segment that is dropped is covered by another part of the line, not by the segment before it.
Indices uncovered(std::span<const PagePoint> points, const Indices& line, Squares squares) {
  Indices kept;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool starts = k == 0 || line[k - 1] == kBreak;
    const bool ends = k + 1 == line.size() || line[k + 1] == kBreak;
    if (line[k] == kBreak) continue;
    if (starts && ends && squares.add(points[line[k]])) kept.insert(kept.end(), {kBreak, line[k]});
    if (starts || !squares.add_segment(points[line[k - 1]], points[line[k]])) continue;
    if (kept.empty() || kept.back() != line[k - 1]) kept.insert(kept.end(), {kBreak, line[k - 1]});
    kept.push_back(line[k]);
  }
  return kept;
}

Indices one_in_each_square(std::span<const PagePoint> points, Squares squares) {
  Indices kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].finite() && squares.add(points[i])) kept.push_back(i);
  }
  return kept;
}

Indices visible(const PlotSeries& series, std::span<const PagePoint> points, const Figure& figure,
                std::size_t most) {
  const auto squares = [&](double size) { return Squares(figure.width, figure.height, size); };
  const std::vector<double>& x = series.x;
  if (series.style == PlotStyle::line && std::ranges::is_sorted(x) && !x.empty() &&
      std::isfinite(x.front()) && std::isfinite(x.back())) {
    std::vector<double> y;
    y.reserve(points.size());
    for (const PagePoint& p : points) y.push_back(p.y);
    return extremes(x, y, std::min(kStretches, most / 2));
  }
  Indices kept;
  if (series.style == PlotStyle::line) {
    kept = points_apart(points, kFinest / 2);
    if (kept.size() <= kFewPoints) return kept;
  }
  for (double size = kFinest;; size *= 1.25) {
    kept = series.style == PlotStyle::line
               ? uncovered(points, points_apart(points, 1.5 * size), squares(size))
               : one_in_each_square(points, squares(size));
    if (kept.size() <= most || size > figure.width) return kept;
    // With larger squares one would see gaps between the segments that are left.
    if (series.style == PlotStyle::line && size > kCloseStrokes) return {};
  }
}

// How long a line has been in each cell of a page. It counts its points as evenly spaced in time.
class Cells {
 public:
  Cells(double width, double height)
      : columns_(static_cast<int>(std::ceil(width / kCell))),
        rows_(static_cast<int>(std::ceil(height / kCell))),
        wide_(width / columns_),
        high_(height / rows_),
        weight_(static_cast<std::size_t>(columns_ * rows_), 0) {}

  void add_segment(const PagePoint& a, const PagePoint& b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const int steps = static_cast<int>(1.5 * std::max(std::abs(dx), std::abs(dy)) / kCell) + 1;
    for (int i = 0; i < steps; ++i) {
      const int column = static_cast<int>(std::floor((a.x + i * (dx / steps)) / wide_));
      const int row = static_cast<int>(std::floor((a.y + i * (dy / steps)) / high_));
      if (!inside(row, column)) continue;
      weight_[static_cast<std::size_t>(row * columns_ + column)] += 1.0 / steps;
    }
  }

  [[nodiscard]] bool any() const {
    return std::ranges::any_of(weight_, [](double w) { return w > 0; });
  }
  // Whether the line fills an area: most of its cells lie among others of it, and there are many.
  [[nodiscard]] bool fills() const {
    std::size_t touched = 0;
    std::size_t inner = 0;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        if (!taken(row, column)) continue;
        ++touched;
        if (surrounded(row, column)) ++inner;
      }
    }
    return static_cast<double>(touched) > kLeastArea * static_cast<double>(weight_.size()) &&
           static_cast<double>(inner) > kInnerShare * static_cast<double>(touched);
  }

  // The darkest level is that of the cells with the longest stay, but for the longest few of them.
  [[nodiscard]] Density density(const std::pair<Axis, Axis>& axes) const {
    std::vector<double> taken;
    std::ranges::copy_if(weight_, std::back_inserter(taken), [](double w) { return w > 0; });
    const auto full = taken.begin() + static_cast<std::ptrdiff_t>(0.95 * (taken.size() - 1));
    std::ranges::nth_element(taken, full);
    const double least = kFaintest;
    Density out{.columns = columns_,
                .rows = rows_,
                .box = {axes.first.value(0), axes.first.value(1), axes.second.value(0),
                        axes.second.value(1)}};
    for (const double w : weight_) {
      const double level = std::clamp(std::sqrt(w / *full) * Density::kLevels, least,
                                      static_cast<double>(Density::kLevels));
      out.levels += "0123456789abcdef"[w > 0 ? static_cast<std::size_t>(std::lround(level)) : 0];
    }
    return out;
  }

 private:
  [[nodiscard]] bool inside(int row, int column) const {
    return row >= 0 && row < rows_ && column >= 0 && column < columns_;
  }
  [[nodiscard]] bool taken(int row, int column) const {
    return inside(row, column) && weight_[static_cast<std::size_t>(row * columns_ + column)] > 0;
  }
  [[nodiscard]] bool surrounded(int row, int column) const {
    for (int r = row - 1; r <= row + 1; ++r) {
      for (int c = column - 1; c <= column + 1; ++c) {
        if (inside(r, c) && !taken(r, c)) return false;
      }
    }
    return true;
  }

  int columns_, rows_;
  double wide_, high_;
  std::vector<double> weight_;
};

// Some points of a line, with the first, the last, the least and the largest of each axis.
Indices sample_of(std::span<const PagePoint> points) {
  std::array<std::size_t, 4> ends = {kBreak, kBreak, kBreak, kBreak};
  Indices kept;
  const std::size_t apart = points.size() / kSampledPoints + 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].finite()) continue;
    if (i % apart == 0) kept.push_back(i);
    const auto better = [&](std::size_t& best, auto value, double sign) {
      if (best == kBreak || sign * value(points[i]) > sign * value(points[best])) best = i;
    };
    for (const double sign : {-1.0, 1.0}) {
      const auto at = static_cast<std::size_t>(sign + 1);
      better(
          ends[at / 2], [](const PagePoint& p) { return p.x; }, sign);
      better(
          ends[2 + at / 2], [](const PagePoint& p) { return p.y; }, sign);
    }
  }
  for (const std::size_t end : ends) {
    if (end != kBreak) kept.push_back(end);
  }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

Cells cells_of(std::span<const PagePoint> points, const Figure& figure) {
  Cells cells(figure.width, figure.height);
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i - 1].finite() && points[i].finite()) cells.add_segment(points[i - 1], points[i]);
  }
  return cells;
}

// The points that are left of a series, and its density where it fills an area or has too many strokes
// that can be seen.
Indices left_of(PlotSeries& series, std::span<const PagePoint> points, const Figure& figure,
                const std::pair<Axis, Axis>& axes, std::size_t most) {
  const bool line = series.style == PlotStyle::line;
  const Cells cells =
      cells_of(line && points.size() > kFewestOfArea ? points : points.first(0), figure);
  if (!cells.fills()) {
    Indices kept = visible(series, points, figure, most);
    if (!kept.empty() || !cells.any()) return kept;
  }
  series.density = cells.density(axes);
  return sample_of(points);
}

}  // namespace

int Density::level(int row, int column) const {
  const char c = levels[static_cast<std::size_t>(row * columns + column)];
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

std::vector<std::size_t> extremes(std::span<const double> x, std::span<const double> y,
                                  std::size_t stretches) {
  Indices kept;
  if (x.size() <= 2 * stretches) {
    kept.resize(x.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  const double width = (x.back() - x.front()) / static_cast<double>(stretches);
  std::size_t i = 0;
  for (std::size_t j = 0; j < stretches; ++j) {
    const double limit = x.front() + static_cast<double>(j + 1) * width;
    const std::size_t first = i;
    std::size_t least = kBreak;
    std::size_t largest = kBreak;
    for (; i < x.size() && (j + 1 == stretches || !(x[i] >= limit)); ++i) {
      if (!std::isfinite(y[i])) continue;
      if (least == kBreak || y[i] < y[least]) least = i;
      if (largest == kBreak || y[i] > y[largest]) largest = i;
    }
    if (i == first) continue;
    if (least == kBreak) {
      kept.push_back(first);
      continue;
    }
    kept.push_back(std::min(least, largest));
    if (least != largest) kept.push_back(std::max(least, largest));
  }
  return kept;
}

Figure thinned(const Figure& figure) {
  Figure out = figure;
  const auto axes = find_axes(figure);
  if (!axes) return out;
  const std::size_t most = std::max<std::size_t>(kMostPoints / figure.series.size(), 400);
  std::vector<PagePoint> points;
  for (PlotSeries& series : out.series) {
    if (series.density) continue;
    points.clear();
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      points.push_back({axes->first.place(series.x[i]) * figure.width,
                        axes->second.place(series.y[i]) * figure.height});
    }
    const Indices kept = left_of(series, points, figure, *axes, most);
    PlotSeries left = series;
    left.x.clear();
    left.y.clear();
    for (const std::size_t i : kept) {
      left.x.push_back(i == kBreak ? std::nan("") : series.x[i]);
      left.y.push_back(i == kBreak ? std::nan("") : series.y[i]);
    }
    series = std::move(left);
  }
  return out;
}

}  // namespace lilyan
