// How deep triangles and edges reach into obstacles: for the judge of what contact does, which is why nothing of it is
// contact's. Only the shapes themselves are.
#pragma once

#include <array>

#include "lilyan/contact/obstacle.hpp"

namespace lilyan {

// How far the triangle must at least be moved to be out of the obstacle, negative or zero where it is out of it. The
// obstacle is where its motion has put it. Two corners may be equal (an edge), or all three (a vertex).
//
// For spheres, capsules and what bodies are kept inside it is the depth of the deepest point. For boxes it is
// the least of the overlaps along the directions in which a triangle and a box can be apart, so that a corner of the box
// that pokes through the middle of a triangle counts as well. Planes are half-spaces.
[[nodiscard]] double depth_in(const Obstacle& obstacle, const Pose& pose,
                              const std::array<Vec3, 3>& triangle);

// The size of the numbers that the depth is computed from: it is exact up to a few rounding errors of these.
[[nodiscard]] double size_of_numbers(const Obstacle& obstacle, const Pose& pose,
                                     const std::array<Vec3, 3>& triangle);

}  // namespace lilyan
