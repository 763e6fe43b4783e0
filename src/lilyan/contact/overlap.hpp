// Which points are inside a body of tetrahedra, and how deep.
#pragma once

#include <array>
#include <span>

#include "lilyan/base/types.hpp"

namespace lilyan {

struct Overlap {
  double depth = 0;  // from the nearest face; 0: no point is inside
  Vec3 at = Vec3::Zero();
};
// The deepest of some points within tets with these outer faces and vertices at x. Points on the surface may count
// as inside.
[[nodiscard]] Overlap deepest_within(std::span<const Vec3> points,
                                     std::span<const std::array<int, 4>> tets,
                                     std::span<const std::array<int, 3>> faces, const Vector& x);

}  // namespace lilyan
