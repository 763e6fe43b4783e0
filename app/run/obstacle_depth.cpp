// Distances from points and segments to triangles, and the separating directions of a triangle and a box: the sides of
// the box, the triangle's normal, and what is normal to an edge of each.
#include "app/run/obstacle_depth.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace lilyan {
namespace {

using Corners = std::array<Vec3, 3>;

double share_along(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double length = (b - a).squaredNorm();
  return length > 0 ? std::clamp((p - a).dot(b - a) / length, 0.0, 1.0) : 0.0;
}

double from_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  return (p - a - share_along(p, a, b) * (b - a)).norm();
}

// The nearest points are an end of one and a point of the other, or both are between the ends.
double between_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  double least = std::min(
      {from_segment(p, a, b), from_segment(q, a, b), from_segment(a, p, q), from_segment(b, p, q)});
  const Vec3 d = q - p;
  const Vec3 e = b - a;
  const Vec3 normal = d.cross(e);
  const double square = normal.squaredNorm();
  if (!(square > 0)) return least;
  const double s = (a - p).cross(e).dot(normal) / square;
  const double t = (a - p).cross(d).dot(normal) / square;
  if (s > 0 && s < 1 && t > 0 && t < 1) least = std::min(least, (p + s * d - a - t * e).norm());
  return least;
}

// Whether x lies over the triangle, seen along its normal, which has a length.
bool lies_over(const Vec3& x, const Corners& t, const Vec3& normal) {
  for (std::size_t k = 0; k < 3; ++k) {
    if ((t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(normal) < 0) return false;
  }
  return true;
}

Vec3 normal_of(const Corners& t) { return (t[1] - t[0]).cross(t[2] - t[0]); }

double from_triangle(const Vec3& p, const Corners& t) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    least = std::min(least, from_segment(p, t[k], t[(k + 1) % 3]));
  }
  const Vec3 normal = normal_of(t);
  if (normal.squaredNorm() > 0 && lies_over(p, t, normal)) {
    least = std::min(least, std::abs((p - t[0]).dot(normal.normalized())));
  }
  return least;
}

double between(const Vec3& p, const Vec3& q, const Corners& t) {
  double least = std::min(from_triangle(p, t), from_triangle(q, t));
  for (std::size_t k = 0; k < 3; ++k) {
    least = std::min(least, between_segments(p, q, t[k], t[(k + 1) % 3]));
  }
  const Vec3 normal = normal_of(t);
  const double from = (p - t[0]).dot(normal);
  const double to = (q - t[0]).dot(normal);
  if (from * to < 0 && lies_over(p + from / (from - to) * (q - p), t, normal)) return 0;
  return least;
}

// The overlap of the triangle and a box about the origin along a direction of length one.
double overlap_along(const Vec3& direction, const Vec3& half, const Corners& t) {
  const double reach = half.dot(direction.cwiseAbs());
  const auto [low, high] =
      std::minmax({t[0].dot(direction), t[1].dot(direction), t[2].dot(direction)});
  return std::min(reach - low, high + reach);
}

double depth_in_box(const Vec3& half, const Corners& t) {
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](const Vec3& direction, double size) {
    // Of parallel edges, what is left of the product is rounding.
    if (direction.norm() <= 1e-12 * size) return;
    least = std::min(least, overlap_along(direction.normalized(), half, t));
  };
  for (int k = 0; k < 3; ++k) look(Vec3::Unit(k), 1);
  look(normal_of(t), (t[1] - t[0]).norm() * (t[2] - t[0]).norm());
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 edge = t[(i + 1) % 3] - t[i];
    for (int k = 0; k < 3; ++k) look(edge.cross(Vec3::Unit(k)), edge.norm());
  }
  return least;
}

template <class Depth>
double deepest_corner(const Corners& t, const Depth& depth) {
  return std::max({depth(t[0]), depth(t[1]), depth(t[2])});
}

struct DepthInShape {
  const Corners& t;
  bool inside_out;

  double operator()(const PlaneShape& plane) const {
    const double depth =
        deepest_corner(t, [&](const Vec3& x) { return plane.normal.dot(plane.point - x); });
    return depth;
  }
  double operator()(const SphereShape& sphere) const {
    return round(sphere.center, sphere.center, sphere.radius);
  }
  double operator()(const CapsuleShape& capsule) const {
    return round(capsule.from, capsule.to, capsule.radius);
  }
  double operator()(const BoxShape& box) const {
    const Corners seen = {t[0] - box.center, t[1] - box.center, t[2] - box.center};
    if (!inside_out) return depth_in_box(box.half, seen);
    return deepest_corner(seen,
                          [&](const Vec3& x) { return (x.cwiseAbs() - box.half).maxCoeff(); });
  }

 private:
  // These are convex: what has its corners inside is inside.
  [[nodiscard]] double round(const Vec3& from, const Vec3& to, double radius) const {
    if (inside_out) {
      return deepest_corner(t, [&](const Vec3& x) { return from_segment(x, from, to) - radius; });
    }
    return radius - (from == to ? from_triangle(from, t) : between(from, to, t));
  }
};

Corners at_rest(const Obstacle& obstacle, const Pose& pose, const Corners& t) {
  if (!obstacle.motion.moves()) return t;
  return {pose.undo(t[0]), pose.undo(t[1]), pose.undo(t[2])};
}

}  // namespace

double depth_in(const Obstacle& obstacle, const Pose& pose, const Corners& triangle) {
  return std::visit(DepthInShape{at_rest(obstacle, pose, triangle), obstacle.inside_out},
                    obstacle.shape);
}

double size_of_numbers(const Obstacle& obstacle, const Pose& pose, const Corners& triangle) {
  double size = pose.center.norm() + pose.shift.norm();
  for (const Vec3& x : triangle) size = std::max(size, x.norm());
  struct Numbers {
    double operator()(const PlaneShape& s) const { return s.point.norm(); }
    double operator()(const SphereShape& s) const { return s.center.norm() + s.radius; }
    double operator()(const BoxShape& s) const { return s.center.norm() + s.half.norm(); }
    double operator()(const CapsuleShape& s) const {
      return s.from.norm() + s.to.norm() + s.radius;
    }
  };
  return size + std::visit(Numbers{}, obstacle.shape);
}

}  // namespace lilyan
