// Obstacles: shapes with a signed distance, which may move.
#pragma once

#include <string>
#include <variant>

#include <Eigen/Core>

#include "lilyan/base/types.hpp"
#include "lilyan/physics/rigid_motion.hpp"

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

// d(x), negative inside, with its gradient (a unit vector) and its Hessian. d is 1-Lipschitz. Where
// two sides are equally near (the centre of a sphere, the axis of a capsule, the diagonals inside a
// box) one of the possible gradients is taken.
struct SignedDistance {
  double value = 0;
  Vec3 normal = Vec3::Zero();
  Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();
};
[[nodiscard]] SignedDistance signed_distance(const ObstacleShape& shape, const Vec3& x);

// A point of the shape; the shape as seen from this point; how large the numbers are that a shape is given by.
[[nodiscard]] Vec3 origin(const ObstacleShape& shape);
[[nodiscard]] ObstacleShape seen_from(const Vec3& origin, ObstacleShape shape);
[[nodiscard]] double extent(const ObstacleShape& shape);
// The length of the shortest way through; infinite for a half-space.
[[nodiscard]] double thickness(const ObstacleShape& shape);

struct Obstacle {
  ObstacleShape shape;
  bool inside_out = false;  // bodies are kept inside
  RigidMotion motion;
  std::string name = {};  // of the user's, for files; may be empty

  // d(x) when the obstacle has been moved to `pose`.
  [[nodiscard]] SignedDistance distance(const Pose& pose, const Vec3& x) const;
  // d(x) in the frame in which the obstacle rests.
  [[nodiscard]] SignedDistance distance_at_rest(const Vec3& x) const;
};

// Where an obstacle is, and where it comes from and goes to in the step that is being made.
struct ObstaclePoses {
  Pose now;
  Pose step_from, step_to;
  double step_h = 0;  // 0: no step yet

  void begin_step(const RigidMotion& motion, double t, double h);
  // Mean velocity over the step of the obstacle's material at x.
  [[nodiscard]] Vec3 velocity(const Vec3& x) const;
};

}  // namespace lilyan
