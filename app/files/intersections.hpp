// Where surfaces and curves pass through each other or through themselves, without rounding error.
//
// This is the judge of what contact does, and shares nothing with it: no search, no distances, no tolerances. It asks on
// which side of which plane points lie (exact_predicates.hpp), and finds the pairs to ask about in a tree of boxes.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "app/files/surface.hpp"

namespace lilyan {

// An edge that has a point in common with a triangle, although they share no vertex.
struct Intersection {
  std::array<int, 2> edge{};
  std::array<int, 3> triangle{};
  // The edge ends in the triangle, meets its border or lies in its plane. Otherwise it goes through the inside.
  bool touches = false;

  bool operator==(const Intersection&) const = default;
};

// All edges are looked at: those of the triangles and the `edges` of none, such as those of rods. Two triangles that
// overlap have such a pair, also in one plane. What touches counts, because nothing is left between the two.
// Edges that share a vertex with the triangle do not count, so that a triangle which is folded flat onto its neighbour is
// not found. Two edges of rods never meet, except by chance, and are not compared.
//
// Pairs come in the order of the edges' vertices, then of the triangles'. The work is shared among threads(). Throws Error
// for points that are not finite, and for vertices that there are not.
[[nodiscard]] std::vector<Intersection> find_intersections(
    Points points, std::span<const std::array<int, 2>> edges,
    std::span<const std::array<int, 3>> triangles);

// Where the two meet, up to rounding error: for messages.
[[nodiscard]] std::array<double, 3> place_of(const Intersection& pair, Points points);

// A part that is connected lies within a tet of another part. Their surfaces need not cross.
struct Enclosed {
  int vertex = 0;  // of the part that lies within
  std::array<int, 4> tet{};

  bool operator==(const Enclosed&) const = default;
};

// Parts are made of cells that share vertices. Of each part one vertex is looked at. That is enough where no
// surfaces cross.
[[nodiscard]] std::vector<Enclosed> find_enclosed(Points points, const FrameGeometry& geometry);

}  // namespace lilyan
