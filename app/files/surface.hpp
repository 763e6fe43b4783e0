// The surface of a run's bodies: boundary triangles, their normals, and both by body for writers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lilyan {

// The formats that a run can write its frames in.
[[nodiscard]] const std::vector<std::string>& frame_formats();

// Which axis of a run points up. In glTF it is y, so runs with z up are turned.
enum class UpAxis { y, z };

// Where the corners of a triangle are in a picture: u, v of each.
using TriangleTexture = std::array<float, 6>;

// The cells that connect the vertices of a run, the same in every frame. They list vertex indices,
// counted from 0; each belongs to the body of that number.
struct FrameGeometry {
  std::span<const std::array<int, 4>> tets = {};
  std::span<const int> tet_body = {};
  std::span<const std::array<int, 3>> triangles = {};
  std::span<const int> triangle_body = {};
  std::span<const std::array<int, 2>> edges = {};
  std::span<const int> edge_body = {};
  std::span<const std::string> body_names = {};   // bodies without a name are called bodyN, from 1
  std::span<const TriangleTexture> texture = {};  // of the triangles; empty: none has any
};

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
  std::vector<TriangleTexture> texture = {};  // of each triangle; empty: the body has none
};

// The different places in the picture that a part's texture has, and which of them each corner has, three
// for each triangle.
struct TexturePlaces {
  std::vector<std::array<float, 2>> places;
  std::vector<std::uint32_t> corners;
};
[[nodiscard]] TexturePlaces texture_places(const SurfacePart& part);

// One part for each body that has anything to see, in the bodies' order.
[[nodiscard]] std::vector<SurfacePart> surface_parts(const FrameGeometry& geometry);

// How many vertices all parts have together.
[[nodiscard]] std::size_t vertex_count(std::span<const SurfacePart> parts);
// The points of all parts, one part after the other.
void gather(std::span<const SurfacePart> parts, Points points, std::vector<float>& out);

}  // namespace lilyan
