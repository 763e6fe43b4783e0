#include "lilyan/contact/continuous_collision.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lilyan {
namespace {

// Whether a point in the plane of a triangle is within it, but for rounding.
bool is_within(const PointTriangle& z) {
  constexpr double kRounding = 1e-9;
  const Vec3 a = z.segment<3>(3);
  const Vec3 u = z.segment<3>(6) - a;
  const Vec3 v = z.segment<3>(9) - a;
  const Vec3 w = z.segment<3>(0) - a;
  const Vec3 n = u.cross(v);
  const double of_b = w.cross(v).dot(n) / n.squaredNorm();
  const double of_c = u.cross(w).dot(n) / n.squaredNorm();
  return of_b >= -kRounding && of_c >= -kRounding && of_b + of_c <= 1 + kRounding;
}

// Times within the step between which a cubic only grows or only falls, the step's ends included.
struct Turns {
  std::array<double, 4> at{};
  std::size_t count = 0;
};
Turns turns_of(const std::array<double, 4>& cubic) {
  Turns turns{{0.0}, 1};
  // 3 c₃ t² + 2 c₂ t + c₁ = 0, with the sum that does not cancel.
  const double half = cubic[2];
  const double root = std::sqrt(std::max(0.0, half * half - 3 * cubic[3] * cubic[1]));
  const double q = -(half + std::copysign(root, half));
  std::array<double, 2> roots = {q / (3 * cubic[3]), cubic[1] / q};
  std::ranges::sort(roots);
  for (const double t : roots) {
    if (t > 0 && t < 1) turns.at[turns.count++] = t;
  }
  turns.at[turns.count++] = 1;
  return turns;
}

// Whether the straight way from a to b enters the shape. Since the distance changes by no more than one
// moves, each step of the search may be as long as the distance.
bool enters(const ObstacleShape& shape, const Vec3& a, const Vec3& b, double thickness) {
  const double length = (b - a).norm();
  for (double s = 0; s < length;) {
    const double d = signed_distance(shape, a + (s / length) * (b - a)).value;
    if (d < 0) return true;
    s += std::max(d, 1e-3 * thickness);
  }
  return false;
}

}  // namespace

// The four are in one plane when the volume (b − a) × (c − a) · (p − a) is zero, which is a cubic of time.
int crossings(const PointTriangle& before, const PointTriangle& after) {
  const auto edge = [](const PointTriangle& z, int k) {
    return Vec3(z.segment<3>(k) - z.segment<3>(3));
  };
  const auto volume = [&](const PointTriangle& z) {
    return edge(z, 6).cross(edge(z, 9)).dot(edge(z, 0));
  };
  const Vec3 u = edge(before, 6);
  const Vec3 v = edge(before, 9);
  const Vec3 w = edge(before, 0);
  const Vec3 du = edge(after, 6) - u;
  const Vec3 dv = edge(after, 9) - v;
  const Vec3 dw = edge(after, 0) - w;
  const Vec3 first = du.cross(v) + u.cross(dv);
  const std::array<double, 4> c = {volume(before), first.dot(w) + u.cross(v).dot(dw),
                                   du.cross(dv).dot(w) + first.dot(dw), du.cross(dv).dot(dw)};
  // At the end of the step as the next step sees it, so that no crossing is lost or counted twice.
  const double last = volume(after);
  const auto above = [&](double t) {
    return (t == 1 ? last : c[0] + t * (c[1] + t * (c[2] + t * c[3]))) >= 0;
  };
  const Turns turns = turns_of(c);
  int count = 0;
  for (std::size_t k = 0; k + 1 < turns.count; ++k) {
    double low = turns.at[k];
    double high = turns.at[k + 1];
    const bool from = above(low);
    if (from == above(high)) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (above(middle) == from ? low : high) = middle;
    }
    count += is_within(before + high * (after - before)) ? 1 : 0;
  }
  return count;
}

long points_through(const ContactSurface& one, const ContactSurface& other, const Vector& before,
                    const Vector& after, Candidates& candidates) {
  const auto way = [&](int v) {
    return Box(Vec3(before.segment<3>(3 * v))).extend(Vec3(after.segment<3>(3 * v)));
  };
  long count = 0;
  candidates.each_point(one.vertices, other.triangles, way, 0, [&](std::size_t n, auto near) {
    const bool through = std::ranges::any_of(near, [&](int k) {
      const auto& triangle = other.triangles[static_cast<std::size_t>(k)];
      // Through and back again is not through.
      return crossings(pair_at(before, one.vertices[n], triangle),
                       pair_at(after, one.vertices[n], triangle)) %
                 2 !=
             0;
    });
    count += through ? 1 : 0;
  });
  return count;
}

Approach approach(const ObstacleShape& shape, double thickness, const Vec3& a, const Vec3& b) {
  const double length = (b - a).norm();
  if (!(length > 0.1 * thickness)) return {};
  const SignedDistance start = signed_distance(shape, a);
  if (start.value < 0 || start.value > length) return {};
  const SignedDistance end = signed_distance(shape, b);
  // Out at the other side: a vertex that was turned back leaves where it came in.
  const bool other_side = end.value >= 0 && start.normal.dot(end.normal) < 0;
  return {.length = length, .through = other_side && enters(shape, a, b, thickness)};
}

}  // namespace lilyan
