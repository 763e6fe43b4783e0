// Data on paper: what of it can be seen. Lengths are in points of the page, whatever that is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lilyan {

struct PagePoint {
  double x = 0;
  double y = 0;
};

struct PageBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] bool contains(const PagePoint& p) const {
    return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
  }
  [[nodiscard]] PagePoint nearest(const PagePoint& p) const {
    return {std::clamp(p.x, left, right), std::clamp(p.y, top, bottom)};
  }
};

using Polyline = std::vector<PagePoint>;

// Points of all parts.
[[nodiscard]] std::size_t count(std::span<const Polyline> parts);

// The parts of a line inside the box. Points that are not finite break it.
[[nodiscard]] std::vector<Polyline> clip_line(std::span<const PagePoint> line, const PageBox& box);

// The same picture at the given resolution. Parts with monotone x keep the first, lowest, highest
// and last point of every column; others lose points close to the one before.
[[nodiscard]] std::vector<Polyline> thin_line(std::vector<Polyline> parts, const PageBox& box,
                                              double resolution);

// Without what lies on top of other parts of the line, at the given resolution.
[[nodiscard]] std::vector<Polyline> drop_covered(std::span<const Polyline> parts,
                                                 const PageBox& box, double resolution);

// The points inside the box, one for each square of the given size.
[[nodiscard]] std::vector<PagePoint> thin_points(std::span<const PagePoint> points,
                                                 const PageBox& box, double size);

// Ink that is too much to be drawn stroke by stroke, as level strokes of one width.
struct Hatching {
  std::vector<Polyline> strokes;
  double width = 0;
};
// Of lines and dots of about the given width, wider where there would be more than `most` points.
[[nodiscard]] Hatching hatch(std::span<const Polyline> lines, std::span<const PagePoint> dots,
                             const PageBox& box, double width, std::size_t most);

// Which squares of a box something is in.
class Coverage {
 public:
  Coverage(const PageBox& box, double size);

  // Return whether anything was new.
  bool add(const PagePoint& p);
  bool add(const PagePoint& a, const PagePoint& b);
  void add(std::span<const Polyline> lines);
  // Squares taken that touch the box.
  [[nodiscard]] int taken(const PageBox& box) const;
  // Rows of squares that are taken, through their middles.
  [[nodiscard]] std::vector<Polyline> runs() const;

 private:
  [[nodiscard]] std::size_t column(double x) const;
  [[nodiscard]] std::size_t row(double y) const;

  PageBox box_;
  double size_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<char> cells_;  // 1 where taken
};

}  // namespace lilyan
