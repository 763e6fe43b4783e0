#include "app/report/legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {

constexpr Font kFont = {8.5, false};
constexpr Colour kText = {0.15, 0.15, 0.15};
constexpr double kLine = 14;    // from one entry to the one below
constexpr double kSample = 20;  // length of the line shown
constexpr double kGap = 6;      // between sample and label
constexpr double kPad = 5;      // around the entries
constexpr double kColumnGap = 16;

}  // namespace

Look look_of(const PlotSeries& series, int number) {
  Look look;
  look.stroke.colour = palette(series.colour.value_or(number));
  // Past the end of the palette the same colours come back in dashes.
  look.stroke.dashed = series.dashed || (!series.colour && (number / kPaletteSize) % 2 == 1);
  look.line = series.style != PlotStyle::points;
  look.stroke.width = series.width > 0 && look.line ? series.width : 1.3;
  if (series.style == PlotStyle::line_points) look.dot = 3.4 * look.stroke.width;
  if (series.style == PlotStyle::points) {
    const std::size_t n = series.x.size();
    const double chosen = n <= 200 ? 4.5 : n <= 2000 ? 3 : n <= 8000 ? 2 : 1.4;
    look.dot = series.width > 0 ? series.width : chosen;
    look.dot_alpha = n <= 200 ? 1 : n <= 2000 ? 0.8 : 0.6;
  }
  return look;
}

Legend::Legend(const Canvas& canvas, const Figure& figure) {
  int number = 0;
  for (const PlotSeries& s : figure.series) {
    const Look look = look_of(s, number++);
    if (s.label.empty()) continue;
    const double width = kSample + kGap + canvas.text_width(s.label, kFont);
    entries_.push_back({s.label, look, width});
  }
  if (entries_.size() < 2) entries_.clear();
}

double Legend::column_width() const {
  double width = 0;
  for (const LegendEntry& e : entries_) width = std::max(width, e.width);
  return width;
}

double Legend::block_width() const { return column_width() + 2 * kPad; }
double Legend::block_height() const {
  return static_cast<double>(entries_.size()) * kLine + 2 * kPad - 3;
}

PageBox Legend::block_place(const PageBox& area, const Coverage& data) const {
  const double w = block_width();
  const double h = block_height();
  constexpr double kInset = 5;
  const std::array<double, 3> left = {area.right - kInset - w, area.left + kInset,
                                      (area.left + area.right - w) / 2};
  const std::array<double, 3> top = {area.top + kInset, area.bottom - kInset - h,
                                     (area.top + area.bottom - h) / 2};
  // Corners, then the middles of the sides.
  static constexpr std::array<std::array<std::size_t, 2>, 8> kPlaces = {
      {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 1}}};
  PageBox best;
  int least = std::numeric_limits<int>::max();
  for (const auto& [i, j] : kPlaces) {
    const PageBox box = {left[i], top[j], left[i] + w, top[j] + h};
    const int covered = data.taken(box);
    if (covered < least) {
      least = covered;
      best = box;
    }
  }
  return best;
}

void Legend::draw_block(Canvas& canvas, const PageBox& place) const {
  constexpr Colour kBorder = {0.8, 0.8, 0.8};
  canvas.fill(place, {1, 1, 1, 0.85});
  canvas.rule({place.left, place.top}, {place.right, place.top}, 0.5, kBorder);
  canvas.rule({place.left, place.bottom}, {place.right, place.bottom}, 0.5, kBorder);
  canvas.rule({place.left, place.top}, {place.left, place.bottom}, 0.5, kBorder);
  canvas.rule({place.right, place.top}, {place.right, place.bottom}, 0.5, kBorder);
  PagePoint at = {place.left + kPad, place.top + kPad};
  for (const LegendEntry& e : entries_) {
    draw(canvas, e, at);
    at.y += kLine;
  }
}

std::size_t Legend::row_columns(double width) const {
  const double columns = std::floor((width + kColumnGap) / (column_width() + kColumnGap));
  return static_cast<std::size_t>(
      std::clamp(columns, 1.0, static_cast<double>(std::max<std::size_t>(entries_.size(), 1))));
}

double Legend::rows_height(double width) const {
  const std::size_t columns = row_columns(width);
  const std::size_t rows = (entries_.size() + columns - 1) / columns;
  return static_cast<double>(rows) * kLine;
}

void Legend::draw_rows(Canvas& canvas, const PageBox& place) const {
  const std::size_t columns = row_columns(place.width());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t row = i / columns;
    const std::size_t column = i % columns;
    draw(canvas, entries_[i],
         {place.left + static_cast<double>(column) * (column_width() + kColumnGap),
          place.top + static_cast<double>(row) * kLine});
  }
}

void Legend::draw(Canvas& canvas, const LegendEntry& entry, const PagePoint& at) const {
  const double middle = at.y + 5.5;
  if (entry.look.line) {
    const Polyline sample = {{at.x, middle}, {at.x + kSample, middle}};
    canvas.lines({&sample, 1}, entry.look.stroke);
  }
  if (entry.look.dot > 0) {
    const PagePoint dot = {at.x + kSample / 2, middle};
    canvas.dots({&dot, 1}, std::clamp(entry.look.dot, 3.5, 9.0), entry.look.stroke.colour);
  }
  canvas.text(entry.label, {at.x + kSample + kGap, middle + 3.1}, TextAlign::left, kFont, kText);
}

}  // namespace lilyan
