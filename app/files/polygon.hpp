// Polygons in space, cut into triangles.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace lilyan {

struct PolygonCut {
  // Corners of the polygon, counted from 0; each triangle turns as the polygon does.
  std::vector<std::array<int, 3>> triangles;
  // Why there are none: "cuts itself", and what to do about it. Empty: there are.
  std::string fault;
};

// Cuts a polygon of k ≥ 3 corners into k − 2 triangles that cover it once, seen along its mean normal. It may
// be concave, have corners in the middle of straight sides, and have a hole that a cut in both directions
// joins to the outside. A convex polygon is cut into a fan from its first corner, and so is one without area.
[[nodiscard]] PolygonCut cut_polygon(std::span<const std::array<double, 3>> corners);

}  // namespace lilyan
