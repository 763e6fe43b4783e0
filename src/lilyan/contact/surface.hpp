// The surfaces of bodies that may touch each other.
#pragma once

#include <array>
#include <vector>

#include "lilyan/base/types.hpp"

namespace lilyan {

// What of one body can be touched: vertices and triangles of the system.
struct ContactSurface {
  int body = 0;
  std::vector<int> vertices;
  std::vector<std::array<int, 3>> triangles;
};

// Several of them as one list of points and one of triangles, each with the body that it belongs to.
struct ContactSurfaces {
  // Throws Error for surfaces that share a vertex.
  explicit ContactSurfaces(const std::vector<ContactSurface>& surfaces);

  std::vector<int> points, body_of_point;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> body_of_triangle;
};

}  // namespace lilyan
