#include "lilyan/energy/tets.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {

std::vector<TetGroup> group_tets(const TetShape& shape) {
  const int count = static_cast<int>(shape.tets.size());
  std::vector<TetGroup> groups((count + kLanes - 1) / kLanes);
  for (int e = 0; e < static_cast<int>(groups.size()) * kLanes; ++e) {
    TetGroup& group = groups[e / kLanes];
    const int lane = e % kLanes;
    const bool used = e < count;
    const int source = used ? e : e - lane;
    if (used) group.lanes = lane + 1;
    // Ascending, so that every Hessian block falls into the lower triangle. F does not depend on
    // the order, and the volume is taken without its sign.
    std::array<int, 4> v = shape.tets[source];
    std::ranges::sort(v);
    Eigen::Matrix3d rest;
    for (int c = 0; c < 3; ++c) {
      rest.col(c) = shape.rest.segment<3>(3 * v[c + 1]) - shape.rest.segment<3>(3 * v[0]);
    }
    const double volume = std::abs(rest.determinant()) / 6;
    const Eigen::Matrix3d inverse = rest.inverse();
    if (!(volume > 0) || !inverse.allFinite()) {
      throw Error("tet " + std::to_string(source) + " has zero rest volume");
    }
    for (int a = 0; a < 4; ++a) group.vertex[a][lane] = v[a];
    group.volume[lane] = used ? volume : 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) group.inverse_rest(i, j)[lane] = inverse(i, j);
    }
  }
  return groups;
}

}  // namespace lilyan
