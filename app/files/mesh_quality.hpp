// How good a mesh is: sizes, shapes of its elements, and what is wrong with it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "app/files/mesh.hpp"

namespace lilyan {

// A quantity over all elements. The histogram has ten bins of equal width from `low` to `high`;
// values outside count in the first or last.
struct Distribution {
  double least = 0;
  double mean = 0;
  double most = 0;
  double low = 0;
  double high = 0;
  std::array<std::size_t, 10> bins{};
};

// Gathers the values of a quantity.
class DistributionOf {
 public:
  void add(double value) { values_.push_back(value); }
  // With bins over [low, high], or from the smallest to the largest value.
  [[nodiscard]] Distribution over(double low, double high) const;
  [[nodiscard]] Distribution over_all() const;

 private:
  std::vector<double> values_;
};

struct Bounds {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
  [[nodiscard]] double diagonal() const;
};

// The quality of the vertices that `triangles` use.
struct SurfaceQuality {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  std::size_t edges = 0;
  Bounds bounds;
  double area = 0;
  double volume = 0;  // enclosed, signed: positive when the triangles face outwards
  Distribution edge_length;
  Distribution aspect;             // 2 · inradius / circumradius: 1 for an equilateral triangle
  Distribution angle;              // in degrees
  std::size_t flat = 0;            // triangles without area, up to rounding error
  std::size_t duplicates = 0;      // triangles that list the same vertices as an earlier one
  std::size_t boundary_edges = 0;  // of one triangle only
  std::size_t non_manifold_edges = 0;     // of three or more
  std::size_t non_manifold_vertices = 0;  // where fans of triangles touch in the vertex only
  std::size_t misoriented_edges = 0;      // of two triangles that turn opposite ways
  std::size_t components = 0;             // connected over edges
  std::size_t boundary_loops = 0;
  // Σ over the components, of a manifold surface only: V − E + F = 2·components − 2·genus − loops
  int genus = 0;
  bool orientable = true;  // triangles can be turned so that no edge is misoriented

  [[nodiscard]] bool closed() const { return boundary_edges == 0; }
  [[nodiscard]] bool manifold() const {
    return non_manifold_edges == 0 && non_manifold_vertices == 0 && duplicates == 0;
  }
  [[nodiscard]] bool oriented() const { return misoriented_edges == 0; }
};

struct TetQuality {
  std::size_t vertices = 0;
  std::size_t tets = 0;
  Bounds bounds;
  double volume = 0;  // sum of the tets' signed volumes
  Distribution edge_length;
  Distribution aspect;  // 3 · inradius / circumradius: 1 for a regular tet
  Distribution tet_volume;
  Distribution min_dihedral;  // smallest and largest angle between faces of each tet, in degrees
  Distribution max_dihedral;
  std::size_t inverted = 0;       // negatively oriented
  std::size_t flat = 0;           // without volume, up to rounding error
  std::size_t duplicates = 0;     // tets that list the same vertices as an earlier one
  std::size_t components = 0;     // connected over vertices
  std::size_t crowded_faces = 0;  // faces of three or more tets
  SurfaceQuality surface;         // of the boundary
};

[[nodiscard]] SurfaceQuality surface_quality(std::span<const std::array<double, 3>> vertices,
                                             std::span<const std::array<int, 3>> triangles);
[[nodiscard]] SurfaceQuality surface_quality(const SurfaceMesh& mesh);
[[nodiscard]] TetQuality tet_quality(const TetMesh& mesh);

// For each triangle the number of its component, connected over edges, counted from 0.
[[nodiscard]] std::vector<int> triangle_components(std::span<const std::array<int, 3>> triangles);

// Pairs of triangles where an edge of one goes through the inside of the other; the first `most`
// that are found. Triangles that only touch, or overlap in one plane, are not found.
[[nodiscard]] std::vector<std::pair<int, int>> self_intersections(
    std::span<const std::array<double, 3>> vertices, std::span<const std::array<int, 3>> triangles,
    std::size_t most);

// A closed component of a surface.
struct Shell {
  std::vector<std::array<int, 3>> triangles;
  double volume = 0;               // signed
  bool cavity = false;             // faces inwards, inside of another
  std::array<double, 3> inside{};  // of a cavity: a point within
  int outer = -1;                  // of a cavity: the smallest shell around it that is none
};

// The components of a surface, and which lies inside of which. The surface must be closed and
// manifold.
[[nodiscard]] std::vector<Shell> shells_of(const SurfaceMesh& surface);

}  // namespace lilyan
