// What the files of MomentumSolve share.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "lilyan/base/types.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan::momentum_parts {

// Rounding errors of a sum, as a share of its terms.
inline constexpr double kRounding = 4 * kEpsilon;

inline Vec3 at(const Vector& v, int vertex) {
  return v.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

inline bool internal(const Energy& energy) {
  return energy.translation_invariant() && energy.rotation_invariant();
}

// √(v·Mv)
inline double size_of(const System& system, const Vector& v) {
  return std::sqrt(mass_square(system, v));
}

// The rotation that the displacement of a rigid step makes of its middle (of a whole turn by α the one by α/2).
inline Eigen::Matrix3d half_turn(const Vec3& spin) {
  const double length = spin.norm();
  if (length == 0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(std::atan(0.5 * length), spin / length).toRotationMatrix();
}

}  // namespace lilyan::momentum_parts
