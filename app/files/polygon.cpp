// Polygons in space, cut into triangles.
//
// The polygon is seen along its mean normal n = Σ pᵢ × pᵢ₊₁ (M. Newell's). Ears are cut off one by one (G.
// Meisters, "Polygons have ears", 1975): an ear is three corners in a row that turn as the polygon does and
// whose triangle holds no other corner.
#include "app/files/polygon.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

using Vec2 = Eigen::Vector2d;

// Lengths are relative to the polygon's size. Files have seven digits at least.
constexpr double kSliver = 1e-6;
constexpr double kRounding = 1e-12;
constexpr std::size_t kMostCorners =
    4096;  // of a polygon that is not convex: the work grows with the square

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }
double turn(const Vec2& a, const Vec2& b, const Vec2& c) { return cross(b - a, c - a); }

// How strict the search for an ear is: how thin one may be, relative to the square of its longest side, and
// how far outside of it another corner must lie.
struct Strictness {
  double thinnest;
  double margin;
};
constexpr std::array kStrictness = {Strictness{kSliver, kSliver}, Strictness{kRounding, kRounding},
                                    Strictness{-kRounding, -kRounding}};

std::vector<std::array<int, 3>> fan(int corners) {
  std::vector<std::array<int, 3>> triangles;
  for (int i = 2; i < corners; ++i) triangles.push_back({0, i - 1, i});
  return triangles;
}

class Flattened {
 public:
  // Corners about the first one, as large as the polygon.
  explicit Flattened(std::span<const std::array<double, 3>> corners) {
    std::vector<Vec3> at;
    for (const auto& p : corners) at.push_back(Vec3(p.data()) - Vec3(corners[0].data()));
    double size = 0;
    for (const Vec3& p : at) size = std::max(size, p.norm());
    measurable_ = size > 0 && std::isfinite(size);
    if (!measurable_) return;
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] /= size;
      if (i == 0) continue;
      const Vec3 area = at[i - 1].cross(at[i]);
      normal += area;
      most_area_ += area.norm();
    }
    if (!(normal.norm() > kRounding)) return;
    normal.normalize();
    const Vec3 u = normal.unitOrthogonal();
    const Vec3 v = normal.cross(u);
    for (const Vec3& p : at) points_.emplace_back(p.dot(u), p.dot(v));
  }

  // Whether a fan is all that can be made of it: it has no size, or is a line.
  [[nodiscard]] bool is_line() const { return !measurable_ || most_area_ <= kSliver; }
  [[nodiscard]] bool has_normal() const { return !points_.empty(); }
  [[nodiscard]] const std::vector<Vec2>& points() const { return points_; }

 private:
  std::vector<Vec2> points_;
  double most_area_ = 0;  // twice that of a fan whose triangles all count as positive
  bool measurable_ = false;
};

// Whether the corners are seen from the first one in their order, within a full turn.
bool fan_covers(const std::vector<Vec2>& p) {
  double angle = 0;
  for (std::size_t i = 2; i < p.size(); ++i) {
    const Vec2 a = p[i - 1] - p[0];
    const Vec2 b = p[i] - p[0];
    const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
    if (!(cross(a, b) > kSliver * longest)) return false;
    angle += std::atan2(cross(a, b), a.dot(b));
  }
  return angle < 2 * std::numbers::pi - kSliver;
}

// Whether two sides go through each other, by more than rounding.
bool cross_each_other(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double first = kSliver * (b - a).squaredNorm();
  const double second = kSliver * (d - c).squaredNorm();
  const auto apart = [](double s, double t, double least) {
    return (s > least && t < -least) || (s < -least && t > least);
  };
  return apart(turn(a, b, c), turn(a, b, d), first) && apart(turn(c, d, a), turn(c, d, b), second);
}

bool cuts_itself(const std::vector<Vec2>& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t k = i + 2; k < p.size(); ++k) {
      if (cross_each_other(p[i], p[i + 1], p[k], p[(k + 1) % p.size()])) return true;
    }
  }
  return false;
}

class EarCutter {
 public:
  explicit EarCutter(const std::vector<Vec2>& points) : points_(points), left_(points.size()) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  // None where no ear is left, although there are corners.
  std::vector<std::array<int, 3>> cut() {
    std::vector<std::array<int, 3>> triangles;
    while (left_.size() > 2) {
      const std::size_t ear = find_ear();
      if (ear == left_.size()) return {};
      triangles.push_back({corner(ear, -1), left_[ear], corner(ear, 1)});
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    return triangles;
  }

 private:
  [[nodiscard]] int corner(std::size_t from, int by) const {
    const auto count = static_cast<std::ptrdiff_t>(left_.size());
    return left_[static_cast<std::size_t>((static_cast<std::ptrdiff_t>(from) + by + count) %
                                          count)];
  }
  [[nodiscard]] const Vec2& at(int corner) const {
    return points_[static_cast<std::size_t>(corner)];
  }

  [[nodiscard]] std::size_t find_ear() const {
    for (const Strictness& strictness : kStrictness) {
      for (std::size_t i = 0; i < left_.size(); ++i) {
        if (is_ear(at(corner(i, -1)), at(left_[i]), at(corner(i, 1)), strictness)) return i;
      }
    }
    return left_.size();
  }

  [[nodiscard]] bool is_ear(const Vec2& a, const Vec2& b, const Vec2& c,
                            const Strictness& strictness) const {
    const double ab = (b - a).squaredNorm();
    const double bc = (c - b).squaredNorm();
    const double ca = (a - c).squaredNorm();
    if (ca == 0) return false;
    // Two corners at the same place in a row: one of them goes with a triangle that has no area.
    if (ab == 0 || bc == 0) return strictness.thinnest < 0;
    if (!(turn(a, b, c) > strictness.thinnest * std::max({ab, bc, ca}))) return false;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const Vec2& p = at(left_[k]);
      const Vec2& q = at(corner(k, 1));
      // Both ends of the cut to a hole are at the same place.
      const bool at_corner = p == a || p == b || p == c;
      if (!at_corner && turn(a, b, p) >= -strictness.margin * ab &&
          turn(b, c, p) >= -strictness.margin * bc && turn(c, a, p) >= -strictness.margin * ca) {
        return false;
      }
      if (cross_each_other(c, a, p, q)) return false;
    }
    return true;
  }

  const std::vector<Vec2>& points_;
  std::vector<int> left_;
};

}  // namespace

PolygonCut cut_polygon(std::span<const std::array<double, 3>> corners) {
  const auto count = static_cast<int>(corners.size());
  const Flattened flat(corners);
  if (count == 3 || flat.is_line()) return {.triangles = fan(count), .fault = {}};
  const std::string remedy = "cut it into triangles in the program that made it";
  if (!flat.has_normal()) {
    return {.triangles = {}, .fault = "cuts itself or has no area: " + remedy};
  }
  if (fan_covers(flat.points())) return {.triangles = fan(count), .fault = {}};
  if (corners.size() > kMostCorners) {
    return {.triangles = {},
            .fault = fmt::format("is not convex and has more than {} corners: {}", kMostCorners,
                                 remedy)};
  }
  PolygonCut cut;
  if (!cuts_itself(flat.points())) cut.triangles = EarCutter(flat.points()).cut();
  if (cut.triangles.empty()) cut.fault = "cuts itself: " + remedy;
  return cut;
}

}  // namespace lilyan
