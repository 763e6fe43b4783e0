// What is seen of a mesh: its boundary triangles, their normals, and both by body for writers.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "app/files/frame_geometry.hpp"

namespace lilyan {

// Coordinates one after the other, vertex i at 3i: how points are handed to everything that writes.
using Points = std::span<const double>;
[[nodiscard]] Points as_points(const std::vector<std::array<double, 3>>& vertices);

struct BoundaryFace {
  std::array<int, 3> corners;
  int tet;
};

// Faces that only one tet has, in the order of the tets, counterclockwise seen from outside where
// the tet is positively oriented.
[[nodiscard]] std::vector<BoundaryFace> boundary_faces(std::span<const std::array<int, 4>> tets);

// Unit normals of the vertices: the mean of the triangles' normals weighted with their areas.
// (0, 0, 1) where there is none. As many as there are points.
void vertex_normals(std::span<const float> points, std::span<const std::array<int, 3>> triangles,
                    std::vector<float>& normals);

// The surface of one body. Triangles and edges count the part's own vertices, which are given by
// their numbers in the frame.
struct SurfacePart {
  std::string name;
  int body = 0;
  std::vector<int> vertices;
  std::vector<std::array<int, 3>> triangles;  // the tets' boundary, then the body's own triangles
  std::vector<std::array<int, 2>> edges;
};

// One part for each body that has anything to see, in the bodies' order.
[[nodiscard]] std::vector<SurfacePart> surface_parts(const FrameGeometry& geometry);

// How many vertices all parts have together.
[[nodiscard]] std::size_t vertex_count(std::span<const SurfacePart> parts);
// The points of all parts, one part after the other.
void gather(std::span<const SurfacePart> parts, Points points, std::vector<float>& out);

}  // namespace lilyan
