// Rigid motions that leave everything about a body as it is. By Noether's theorem a momentum is kept for
// each of them.
#pragma once

#include <Eigen/Core>

#include "lilyan/base/types.hpp"

namespace lilyan {

// Begins with all of them: shifts in space, and turns about any point. Whatever acts on the body takes
// some of them away.
class Symmetry {
 public:
  // Only turns about this point are left.
  void pin(const Vec3& point);
  // Only shifts along planes with this normal are left, and turns about lines that are parallel to it.
  void level(const Vec3& normal);
  // No turns (no motions) are left.
  void stop_turns() { turns_ = Turns::none; }
  void clear();

  enum class Turns { none, about_axis, all };
  [[nodiscard]] Turns turns() const { return turns_; }
  // The direction of the axis, where there is one.
  [[nodiscard]] const Vec3& axis() const { return axis_; }
  // Whether all turns are about one point, or about an axis through it; any point serves otherwise.
  [[nodiscard]] bool pinned() const { return pinned_; }
  [[nodiscard]] const Vec3& point() const { return point_; }
  // Whether all turns about a point are left.
  [[nodiscard]] bool turns_about(const Vec3& point) const {
    return turns_ == Turns::all && (!pinned_ || point_ == point);
  }
  // The projection onto the directions of the shifts.
  [[nodiscard]] const Eigen::Matrix3d& shifts() const { return shifts_; }
  [[nodiscard]] bool shifts_everywhere() const { return all_shifts_; }

 private:
  // Turns about lines along this arm are left; its length says how exact its direction is.
  void turn_about(const Vec3& arm);

  Turns turns_ = Turns::all;
  bool pinned_ = false;
  bool all_shifts_ = true;
  Vec3 point_ = Vec3::Zero();
  Vec3 axis_ = Vec3::Zero();
  double length_ = 0;  // of the arm that the axis is from
  Eigen::Matrix3d shifts_ = Eigen::Matrix3d::Identity();
};

}  // namespace lilyan
