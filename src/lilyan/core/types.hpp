// The few types everything else is written in.
#pragma once

#include <Eigen/Core>

namespace lilyan {

// Degrees of freedom, one after the other: vertex i owns entries 3i, 3i+1, 3i+2.
using Vector = Eigen::VectorXd;
using Vec3 = Eigen::Vector3d;

}  // namespace lilyan
