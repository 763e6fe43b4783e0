// The distance between a point and a triangle with its derivatives, and how the gap between them turns.
#pragma once

#include <array>

#include <Eigen/Core>

#include "lilyan/base/types.hpp"

namespace lilyan {

// Coordinates of the point p and of the triangle's corners a, b, c, one after the other.
using PointTriangle = Eigen::Matrix<double, 12, 1>;

// Those of vertices at x.
[[nodiscard]] PointTriangle pair_at(const Vector& x, int point, const std::array<int, 3>& triangle);

// The part of the triangle that is nearest to the point.
enum class Nearest { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

struct NearestPoint {
  Nearest feature = Nearest::face;
  std::array<double, 3> weight{};  // of a, b, c: the nearest point is their mean
};
// Ericson: Real-Time Collision Detection, section 5.1.5.
[[nodiscard]] NearestPoint nearest_point(const PointTriangle& z);
// From the point to there.
[[nodiscard]] double distance(const PointTriangle& z, const NearestPoint& nearest);

// The distance and its derivatives by all coordinates; the distance has continuous first
// derivatives wherever it is not zero, and where it is zero they are given as zero.
struct PointTriangleDistance {
  double value = 0;
  PointTriangle gradient = PointTriangle::Zero();
  Eigen::Matrix<double, 12, 12> hessian = Eigen::Matrix<double, 12, 12>::Zero();
};
[[nodiscard]] double point_triangle_distance(const PointTriangle& z);
[[nodiscard]] PointTriangleDistance point_triangle_derivatives(const PointTriangle& z,
                                                               bool want_hessian);
// Where the nearest point is known already.
[[nodiscard]] PointTriangleDistance point_triangle_derivatives(const PointTriangle& z,
                                                               const NearestPoint& nearest,
                                                               bool want_hessian);

// How the gap from the nearest point of the triangle to the point, as a vector r that the triangle carries along,
// follows the velocities of a, b, c: ∂ṙ/∂v of each. Zero for a needle, which has no normal.
[[nodiscard]] std::array<Eigen::Matrix3d, 3> gap_velocity(const PointTriangle& z,
                                                          const NearestPoint& nearest);

}  // namespace lilyan
