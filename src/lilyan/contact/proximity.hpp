// Which triangles are near a point, and how near: a spatial hash of boxes, and the distance between
// a point and a triangle with its derivatives.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "lilyan/base/types.hpp"

namespace lilyan {

// Coordinates of the point p and of the triangle's corners a, b, c, one after the other.
using PointTriangle = Eigen::Matrix<double, 12, 1>;

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

using Box = Eigen::AlignedBox3d;

// Boxes in space, found by the cells of a uniform grid that they meet.
// Teschner et al.: Optimized spatial hashing for collision detection of deformable objects, VMV
// 2003. The cells' numbers are sorted instead of put into a table, which keeps the order of what is
// found the same on every machine.
class SpatialHash {
 public:
  // The cell size should be about that of the boxes. Boxes are numbered in their order.
  void build(const std::vector<Box>& boxes, double cell);
  // The boxes that meet `box`, ascending, each once.
  void find(const Box& box, std::vector<int>& found) const;

 private:
  using Cell = std::array<std::int64_t, 3>;
  template <class Function>
  void each_cell(const Box& box, Function function) const;

  double cell_ = 1;
  std::vector<Box> boxes_;
  std::vector<std::pair<Cell, int>> entries_;
  std::vector<int> large_;  // boxes of very many cells, looked at one by one
};

}  // namespace lilyan
