#include "lilyan/assemble/tet_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

constexpr double kFlat = 1e-6;

}  // namespace

// A flat lane becomes a copy of a good one without volume: nothing of it counts, but its F, and
// with that the logarithm of a determinant, is a number.
bool take_rest_shape(const double* rest, TetGroup& group) {
  const Mat3<Pack> edges = gather_edges(TetPart<Pack>{group, 0, kLanes}, rest);
  const Mat3<Pack> cof = cofactor(edges);
  const Pack det = determinant(edges, cof);
  int good = -1;
  bool flat[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    double longest = 0;
    for (int a = 0; a < 3; ++a) {
      double square = 0;
      for (int i = 0; i < 3; ++i) square += edges(i, a)[lane] * edges(i, a)[lane];
      longest = std::max(longest, square);
    }
    flat[lane] = !(std::abs(det[lane]) / 6 > kFlat * longest * std::sqrt(longest));
    if (!flat[lane]) good = lane;
  }
  if (good < 0) return false;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool unused = group.volume[lane] == 0;
    const int from = flat[lane] ? good : lane;
    if (flat[lane]) {
      for (auto& vertex : group.vertex) vertex[lane] = vertex[good];
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        group.inverse_rest[i][j][lane] = cof(j, i)[from] / det[from];
      }
    }
    group.volume[lane] = unused || flat[lane] ? 0.0 : std::abs(det[lane]) / 6;
  }
  return true;
}

}  // namespace lilyan
