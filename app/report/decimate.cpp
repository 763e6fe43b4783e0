#include "app/report/decimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lilyan {
namespace {

bool finite(const PagePoint& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Liang and Barsky: the part of a segment inside the box; false when there is none.
bool clip_segment(PagePoint& a, PagePoint& b, const PageBox& box) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  double from = 0;
  double to = 1;
  const std::array<std::pair<double, double>, 4> sides = {
      {{-dx, a.x - box.left}, {dx, box.right - a.x}, {-dy, a.y - box.top}, {dy, box.bottom - a.y}}};
  for (const auto& [p, q] : sides) {
    if (p == 0) {
      if (q < 0) return false;
    } else if (p < 0) {
      from = std::max(from, q / p);
    } else {
      to = std::min(to, q / p);
    }
  }
  if (!(from <= to)) return false;
  const PagePoint start = a;
  // The ends are kept to the bit where they are inside. Rounding is as large as the segment is
  // long.
  if (from > 0) a = {start.x + from * dx, start.y + from * dy};
  if (to < 1) b = {start.x + to * dx, start.y + to * dy};
  a = box.nearest(a);
  b = box.nearest(b);
  return true;
}

bool monotone_x(const Polyline& line) {
  const auto by_x = [](const PagePoint& a, const PagePoint& b) { return a.x < b.x; };
  return std::ranges::is_sorted(line, by_x) || std::is_sorted(line.rbegin(), line.rend(), by_x);
}

// First, lowest, highest and last point of every column.
Polyline thin_columns(const Polyline& line, double left, double width) {
  Polyline out;
  std::size_t i = 0;
  while (i < line.size()) {
    const double column = std::floor((line[i].x - left) / width);
    std::array<std::size_t, 4> kept = {i, i, i, i};
    for (; i < line.size() && std::floor((line[i].x - left) / width) == column; ++i) {
      if (line[i].y < line[kept[1]].y) kept[1] = i;
      if (line[i].y > line[kept[2]].y) kept[2] = i;
      kept[3] = i;
    }
    std::ranges::sort(kept);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (k == 0 || kept[k] != kept[k - 1]) out.push_back(line[kept[k]]);
    }
  }
  return out;
}

Polyline thin_distance(const Polyline& line, double distance) {
  Polyline out;
  for (const PagePoint& p : line) {
    if (!out.empty()) {
      const double dx = p.x - out.back().x;
      const double dy = p.y - out.back().y;
      if (dx * dx + dy * dy < distance * distance) continue;
    }
    out.push_back(p);
  }
  const PagePoint& end = line.back();
  if (end.x != out.back().x || end.y != out.back().y) out.push_back(end);
  return out;
}

}  // namespace

std::size_t count(std::span<const Polyline> parts) {
  std::size_t n = 0;
  for (const Polyline& part : parts) n += part.size();
  return n;
}

std::vector<Polyline> clip_line(std::span<const PagePoint> line, const PageBox& box) {
  std::vector<Polyline> parts;
  bool joined = false;  // the part being made ends in the point before
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!finite(line[i])) {
      joined = false;
      continue;
    }
    if (i == 0 || !finite(line[i - 1])) {
      joined = box.contains(line[i]);
      if (joined) parts.push_back({line[i]});
      continue;
    }
    PagePoint a = line[i - 1];
    PagePoint b = line[i];
    if (!clip_segment(a, b, box)) {
      joined = false;
      continue;
    }
    if (!joined) parts.push_back({a});
    parts.back().push_back(b);
    joined = box.contains(line[i]);
  }
  return parts;
}

std::vector<Polyline> thin_line(std::vector<Polyline> parts, const PageBox& box,
                                double resolution) {
  for (Polyline& part : parts) {
    part = monotone_x(part) ? thin_columns(part, box.left, resolution)
                            : thin_distance(part, resolution / 2);
  }
  return parts;
}

std::vector<Polyline> drop_covered(std::span<const Polyline> parts, const PageBox& box,
                                   double resolution) {
  Coverage coverage(box, resolution);
  std::vector<Polyline> out;
  for (const Polyline& whole : parts) {
    // Every segment leaves the square it begins in: one that is dropped is covered by another part
    // of the line, not by the segment before.
    const Polyline part = thin_distance(whole, 1.5 * resolution);
    if (part.size() == 1 && coverage.add(part[0])) out.push_back(part);
    bool joined = false;
    for (std::size_t i = 1; i < part.size(); ++i) {
      const bool seen = coverage.add(part[i - 1], part[i]);
      if (seen && !joined) out.push_back({part[i - 1]});
      if (seen) out.back().push_back(part[i]);
      joined = seen;
    }
  }
  return out;
}

std::vector<PagePoint> thin_points(std::span<const PagePoint> points, const PageBox& box,
                                   double size) {
  std::vector<PagePoint> kept;
  Coverage coverage(box, size);
  for (const PagePoint& p : points) {
    if (finite(p) && box.contains(p) && coverage.add(p)) kept.push_back(p);
  }
  return kept;
}

Hatching hatch(std::span<const Polyline> lines, std::span<const PagePoint> dots, const PageBox& box,
               double width, std::size_t most) {
  while (true) {
    Coverage coverage(box, width);
    coverage.add(lines);
    for (const PagePoint& p : dots) coverage.add(p);
    Hatching out{coverage.runs(), width};
    if (count(out.strokes) <= most || width > box.width()) return out;
    width *= 1.25;
  }
}

Coverage::Coverage(const PageBox& box, double size)
    : box_(box),
      size_(size),
      columns_(static_cast<std::size_t>(std::max(0.0, box.width()) / size) + 1),
      rows_(static_cast<std::size_t>(std::max(0.0, box.height()) / size) + 1),
      cells_(columns_ * rows_, 0) {}

std::size_t Coverage::column(double x) const {
  return static_cast<std::size_t>(
      std::clamp((x - box_.left) / size_, 0.0, static_cast<double>(columns_ - 1)));
}

std::size_t Coverage::row(double y) const {
  return static_cast<std::size_t>(
      std::clamp((y - box_.top) / size_, 0.0, static_cast<double>(rows_ - 1)));
}

bool Coverage::add(const PagePoint& p) {
  char& cell = cells_[row(p.y) * columns_ + column(p.x)];
  return std::exchange(cell, 1) == 0;
}

bool Coverage::add(const PagePoint& a, const PagePoint& b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const int steps = static_cast<int>(1.5 * std::max(std::abs(dx), std::abs(dy)) / size_) + 1;
  bool is_new = add(b);
  for (int i = 0; i < steps; ++i) {
    is_new |= add({a.x + i * (dx / steps), a.y + i * (dy / steps)});
  }
  return is_new;
}

void Coverage::add(std::span<const Polyline> lines) {
  for (const Polyline& line : lines) {
    if (line.size() == 1) add(line[0]);
    for (std::size_t i = 1; i < line.size(); ++i) add(line[i - 1], line[i]);
  }
}

std::vector<Polyline> Coverage::runs() const {
  std::vector<Polyline> out;
  const auto middle = [&](double start, std::size_t i) {
    return start + (static_cast<double>(i) + 0.5) * size_;
  };
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto row_begin = cells_.begin() + static_cast<std::ptrdiff_t>(r * columns_);
    const auto row_end = row_begin + static_cast<std::ptrdiff_t>(columns_);
    for (auto from = std::find(row_begin, row_end, 1); from != row_end;) {
      const auto to = std::find(from, row_end, 0);
      const double y = std::min(middle(box_.top, r), box_.bottom);
      const auto first = static_cast<std::size_t>(from - row_begin);
      const auto last = static_cast<std::size_t>(to - row_begin) - 1;
      out.push_back(
          {{middle(box_.left, first), y}, {std::min(middle(box_.left, last), box_.right), y}});
      from = std::find(to, row_end, 1);
    }
  }
  return out;
}

int Coverage::taken(const PageBox& box) const {
  int n = 0;
  for (std::size_t r = row(box.top); r <= row(box.bottom); ++r) {
    for (std::size_t c = column(box.left); c <= column(box.right); ++c) {
      n += cells_[r * columns_ + c];
    }
  }
  return n;
}

}  // namespace lilyan
