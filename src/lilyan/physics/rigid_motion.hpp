// Keyframed rigid motion: turning about an axis, and moving along; and vertices that follow it.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/motion.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

// Where a point X goes:  x = center + Q (X − center) + shift.
struct Pose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Vec3 center = Vec3::Zero();
  Vec3 shift = Vec3::Zero();

  [[nodiscard]] Vec3 apply(const Vec3& X) const { return center + rotation * (X - center) + shift; }
  [[nodiscard]] Vec3 undo(const Vec3& x) const { return center + from_center(x); }
  // X − center of the point X that went to x.
  [[nodiscard]] Vec3 from_center(const Vec3& x) const {
    return rotation.transpose() * (x - center - shift);
  }
  void archive(Archive& a) { a(rotation, center, shift); }
};

struct Keyframe {
  double t = 0;
  Vec3 shift = Vec3::Zero();
  double angle = 0;  // radians, any number of turns
};

enum class Easing {
  linear,  // constant velocity from key to key
  smooth,  // starts and stops gently at each key
};

// Rests before the first key and after the last; or starts again from the first when it repeats.
class RigidMotion {
 public:
  RigidMotion() = default;  // no motion
  // Throws Error for keys out of order, for an axis of no length, and for a repeating motion whose
  // keys all have the same time.
  RigidMotion(std::vector<Keyframe> keys, const Vec3& axis, const Vec3& center, Easing easing,
              bool repeat);

  [[nodiscard]] bool moves() const { return keys_.size() > 1; }
  [[nodiscard]] Pose at(double t) const;

 private:
  std::vector<Keyframe> keys_;
  Vec3 axis_ = Vec3::UnitY();
  Vec3 center_ = Vec3::Zero();
  Easing easing_ = Easing::linear;
  bool repeat_ = false;
};

// Vertices that follow a keyframed rigid motion from where they are at the beginning.
class ScriptedVertices final : public Motion {
 public:
  // `x` are the positions of all vertices that the motion applies to as it stands.
  ScriptedVertices(std::vector<int> vertices, const Vector& x, RigidMotion motion);

  [[nodiscard]] std::span<const int> vertices() const override { return vertices_; }
  void positions(double t, double* x) const override;

 private:
  std::vector<int> vertices_;
  std::vector<Vec3> from_;
  RigidMotion motion_;
};

}  // namespace lilyan
