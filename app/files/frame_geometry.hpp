// What the vertices of a run are connected to: the same in every frame.
#pragma once

#include <array>
#include <span>
#include <string>

namespace lilyan {

// Indices are of vertices, counted from 0. Each cell belongs to the body of that number.
struct FrameGeometry {
  std::span<const std::array<int, 4>> tets = {};
  std::span<const int> tet_body = {};
  std::span<const std::array<int, 3>> triangles = {};
  std::span<const int> triangle_body = {};
  std::span<const std::array<int, 2>> edges = {};
  std::span<const int> edge_body = {};
  std::span<const std::string> body_names = {};  // bodies without a name are called bodyN, from 1
};

}  // namespace lilyan
