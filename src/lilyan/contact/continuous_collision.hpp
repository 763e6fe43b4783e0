// What moves through what while all of it moves straight from one place to another.
#pragma once

#include "lilyan/base/types.hpp"
#include "lilyan/contact/candidates.hpp"
#include "lilyan/contact/distance.hpp"
#include "lilyan/contact/obstacle.hpp"
#include "lilyan/contact/surface.hpp"
#include "lilyan/numeric/cubic.hpp"

namespace lilyan {

// Six times the volume of the four vertices, which is zero where they are in one plane, as a cubic of s while they move
// from z to z + s d: (b − a) × (c − a) · (p − a).
[[nodiscard]] Cubic volume_along(const PointTriangle& z, const PointTriangle& d);

// How often a point goes through a triangle while all four vertices move straight from `before` to `after`: at most
// three times. A point that ends on the triangle goes through it when it leaves to the other side.
[[nodiscard]] int crossings(const PointTriangle& before, const PointTriangle& after);

// How many vertices of one surface go through triangles of the other. Edges that go through edges are not looked at.
[[nodiscard]] long points_through(const ContactSurface& one, const ContactSurface& other,
                                  const Vector& before, const Vector& after,
                                  Candidates& candidates);

// The straight way of a point from a to b, as a shape of this thickness sees it.
struct Approach {
  double length = 0;     // of the way, if it may reach the shape from outside; or else 0
  bool through = false;  // it enters the shape and leaves it at its other side
};
[[nodiscard]] Approach approach(const ObstacleShape& shape, double thickness, const Vec3& a,
                                const Vec3& b);

}  // namespace lilyan
