// Shapes of obstacles, as signed distances: negative inside.
#pragma once

#include <variant>

#include <Eigen/Core>

#include "lilyan/core/types.hpp"

namespace lilyan {

struct PlaneShape {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // of length one; points to where bodies may be
};
struct SphereShape {
  Vec3 center = Vec3::Zero();
  double radius = 1;
};
struct BoxShape {
  Vec3 center = Vec3::Zero();
  Vec3 half = Vec3::Ones();
};
struct CapsuleShape {
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::UnitX();
  double radius = 1;
};
using ObstacleShape = std::variant<PlaneShape, SphereShape, BoxShape, CapsuleShape>;

// d(x), its gradient (a unit vector) and its Hessian. d is 1-Lipschitz. On edges of nearness (the
// centre of a sphere, the axis of a capsule, the diagonals inside a box) one of the possible
// gradients is taken.
struct SignedDistance {
  double value = 0;
  Vec3 normal = Vec3::Zero();
  Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();
};
[[nodiscard]] SignedDistance signed_distance(const ObstacleShape& shape, const Vec3& x);
// How large the numbers are that a shape is given by.
[[nodiscard]] double extent(const ObstacleShape& shape);

}  // namespace lilyan
