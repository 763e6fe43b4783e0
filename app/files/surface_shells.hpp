// The closed components of a surface, and which lies inside of which.
#pragma once

#include <array>
#include <vector>

#include "app/files/mesh.hpp"

namespace lilyan {

struct Shell {
  std::vector<std::array<int, 3>> triangles;
  double volume = 0;               // signed
  bool cavity = false;             // faces inwards, inside of another
  std::array<double, 3> inside{};  // of a cavity: a point within
  int outer = -1;                  // of a cavity: the smallest shell around it that is none
};

// The surface must be closed and manifold.
[[nodiscard]] std::vector<Shell> shells_of(const SurfaceMesh& surface);

}  // namespace lilyan
