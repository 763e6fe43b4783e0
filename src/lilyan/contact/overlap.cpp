#include "lilyan/contact/overlap.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "lilyan/contact/broad_phase.hpp"
#include "lilyan/contact/distance.hpp"

namespace lilyan {

Overlap deepest_within(std::span<const Vec3> points, std::span<const std::array<int, 4>> tets,
                       std::span<const std::array<int, 3>> faces, const Vector& x) {
  const auto corner = [&](int v) { return Vec3(x.segment<3>(3 * v)); };
  BroadPhase boxes;
  Box all;
  for (const auto& tet : tets) {
    Box box;
    for (const int v : tet) box.extend(corner(v));
    boxes.add(box);
    all.extend(box);
  }
  boxes.build();
  const auto inside = [&](const std::array<int, 4>& tet, const Vec3& p) {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) {
      edges.col(a) = corner(tet[static_cast<std::size_t>(a) + 1]) - corner(tet[0]);
    }
    const Vec3 share = edges.inverse() * (p - corner(tet[0]));
    return share.minCoeff() > -1e-9 && share.sum() < 1 + 1e-9;
  };
  Overlap worst;
  for (const Vec3& p : points) {
    if (!all.contains(p)) continue;
    const bool within = std::ranges::any_of(boxes.meeting(Box(p)), [&](int tet) {
      return inside(tets[static_cast<std::size_t>(tet)], p);
    });
    if (!within) continue;
    double depth = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : faces) {
      PointTriangle z;
      z << p, corner(a), corner(b), corner(c);
      depth = std::min(depth, point_triangle_distance(z));
      if (depth <= worst.depth) break;
    }
    if (depth > worst.depth) worst = {depth, p};
  }
  return worst;
}

}  // namespace lilyan
