#include "lilyan/contact/continuous_collision.hpp"

#include <algorithm>
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

Cubic volume_along(const PointTriangle& z, const PointTriangle& d) {
  const auto edge = [](const PointTriangle& of, int k) {
    return Vec3(of.segment<3>(k) - of.segment<3>(3));
  };
  const Vec3 u = edge(z, 6), v = edge(z, 9), w = edge(z, 0);
  const Vec3 du = edge(d, 6), dv = edge(d, 9), dw = edge(d, 0);
  const Vec3 n = u.cross(v), dn = du.cross(v) + u.cross(dv), ddn = du.cross(dv);
  return {n.dot(w), dn.dot(w) + n.dot(dw), ddn.dot(w) + dn.dot(dw), ddn.dot(dw)};
}

int crossings(const PointTriangle& before, const PointTriangle& after) {
  // At the end of the step as the next step sees it, so that no crossing is lost or counted twice.
  const bool end = volume_along(after, PointTriangle::Zero())[0] >= 0;
  const SignChanges through(volume_along(before, after - before), 0, 1, end);
  int count = 0;
  for (const double s : through.at()) count += is_within(before + s * (after - before)) ? 1 : 0;
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
