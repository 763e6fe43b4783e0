#include "lilyan/model/symmetry.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "lilyan/model/energy.hpp"

namespace lilyan {
namespace {

constexpr double kOffAxis = 1e-12;  // relative to the longest arm
constexpr double kNoShift = 1e-12;
constexpr double kExact = std::numeric_limits<double>::infinity();  // a direction that is given

}  // namespace

void Symmetry::turn_about(const Vec3& arm) {
  const double length = arm.norm();
  if (length == 0) return;
  if (turns_ == Turns::none) return;
  if (turns_ == Turns::about_axis) {
    // The distance of the nearer point from the line through the farther one.
    const double longest = length_ == kExact ? length : std::max(length, length_);
    const double shortest = std::min(length, length_);
    if (axis_.cross(arm).norm() * (shortest / length) > kOffAxis * longest) {
      turns_ = Turns::none;
      return;
    }
    if (length <= length_) return;
  }
  turns_ = Turns::about_axis;
  axis_ = arm / length;
  length_ = length;
}

void Symmetry::pin(const Vec3& point) {
  all_shifts_ = false;
  shifts_.setZero();
  if (!pinned_) {
    pinned_ = true;
    point_ = point;
    return;
  }
  turn_about(point - point_);
}

void Symmetry::level(const Vec3& normal) {
  if (turns_ == Turns::about_axis) {
    turn_about(length_ == kExact ? normal : normal.normalized() * length_);
  } else {
    turn_about(normal);
  }
  length_ = kExact;
  all_shifts_ = false;
  const Vec3 across = shifts_ * normal.normalized();
  if (across.norm() > kNoShift) {
    shifts_ -= across * across.transpose() / across.squaredNorm();
    // Twice the same normal leaves rounding errors.
    if (shifts_.norm() < kNoShift) shifts_.setZero();
  }
}

void Symmetry::clear() {
  turns_ = Turns::none;
  all_shifts_ = false;
  shifts_.setZero();
}

void Energy::limit(Symmetry& symmetry) const {
  if (translation_invariant() && rotation_invariant()) return;
  if (rotation_invariant()) {
    symmetry.pin(Vec3::Zero());
  } else if (translation_invariant()) {
    symmetry.stop_turns();
  } else {
    symmetry.clear();
  }
}

}  // namespace lilyan
