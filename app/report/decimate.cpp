
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "app/report/figure.hpp"

namespace lilyan {
namespace {

constexpr std::size_t kMostPoints = 24'000;  // of a figure
constexpr double kCloseStrokes = 1;          // points of the page: strokes so close leave no gaps
constexpr std::size_t kFewPoints = 4'000;    // of a line: not worth looking for hidden parts
constexpr std::size_t kStretches = 1'000;    // of a curve: two for each point of the page, and more
constexpr double kFinest = 0.5;  // points of the page: details smaller than this are lost
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

  // Returns level strokes through the squares that are taken, as their first and last points.
  [[nodiscard]] std::vector<std::array<PagePoint, 2>> strokes() const {
    std::vector<std::array<PagePoint, 2>> out;
    const auto middle = [this](std::size_t i) { return (static_cast<double>(i) + 0.5) * size_; };
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < columns_; ++c) {
        if (taken_[r * columns_ + c] == 0) continue;
        const bool begins = c == 0 || taken_[r * columns_ + c - 1] == 0;
        if (begins) out.push_back({PagePoint{middle(c), middle(r)}, {}});
        out.back()[1] = {middle(c), middle(r)};
      }
    }
    return out;
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

// Draws a line that is too tangled for its segments to be told apart as the area that it covers.
PlotSeries hatched(const PlotSeries& series, std::span<const PagePoint> points,
                   const Figure& figure, const std::pair<Axis, Axis>& axes, std::size_t most) {
  for (double size = kCloseStrokes;; size *= 1.25) {
    Squares squares(figure.width, figure.height, size);
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (points[i - 1].finite() && points[i].finite())
        squares.add_segment(points[i - 1], points[i]);
    }
    const auto strokes = squares.strokes();
    if (3 * strokes.size() > most && size < figure.width) continue;
    PlotSeries out{.label = series.label, .style = series.style, .colour = series.colour};
    for (const auto& [from, to] : strokes) {
      for (const PagePoint& p : {from, to, PagePoint{std::nan(""), std::nan("")}}) {
        out.x.push_back(axes.first.value(p.x / figure.width));
        out.y.push_back(axes.second.value(p.y / figure.height));
      }
    }
    return out;
  }
}

}  // namespace

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
    points.clear();
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      points.push_back({axes->first.place(series.x[i]) * figure.width,
                        axes->second.place(series.y[i]) * figure.height});
    }
    const Indices kept = visible(series, points, figure, most);
    if (kept.empty()) {
      series = hatched(series, points, figure, *axes, most);
      continue;
    }
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
