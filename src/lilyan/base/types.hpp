// The few types everything else is written in.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "lilyan/build.hpp"

// Memory that one side allocates and the other frees, otherwise in another way.
static_assert(EIGEN_MAX_ALIGN_BYTES == LILYAN_EIGEN_ALIGNMENT,
              "Lilyan was compiled with another alignment of Eigen's vectors. Use CMake's target "
              "lilyan::lilyan or the flags of pkg-config's lilyan, and do not set "
              "EIGEN_MAX_ALIGN_BYTES otherwise.");

namespace lilyan {

// Degrees of freedom, one after the other: vertex i of a system of dimension n owns the entries
// n·i … n·i+n−1.
using Vector = Eigen::VectorXd;
using Vec3 = Eigen::Vector3d;

// The distance from 1 to the next number.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The larger of two numbers, or not a number if one of them is none. (std::max drops it.)
constexpr double larger(double a, double b) { return b > a || b != b ? b : a; }

}  // namespace lilyan
