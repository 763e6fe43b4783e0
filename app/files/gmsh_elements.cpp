// Gmsh's element types: how many nodes each has.
//
// Types 1 to 31, 92 and 93 are listed in the Gmsh reference manual under "MSH file format"; the
// rest are the same shapes in higher order. A shape of order p has
//   line p+1                tetrahedron (p+1)(p+2)(p+3)/6    prism   (p+1)^2(p+2)/2
//   triangle (p+1)(p+2)/2   hexahedron  (p+1)^3              pyramid (p+1)(p+2)(2p+3)/6
//   quadrangle (p+1)^2
// nodes, or, if it has nodes on its edges only, as many as corners + edges (p-1).
#include "app/files/gmsh_elements.hpp"

#include <array>
#include <cstddef>

namespace lilyan {
namespace {

enum class Shape { kLine, kTriangle, kQuad, kTet, kHex, kPrism, kPyramid };
enum class Nodes { kComplete, kEdgesOnly };

// A run of types, of consecutive orders.
struct Run {
  int first_type;
  int last_type;
  Shape shape;
  Nodes nodes;
  int first_order;
};

// Left out on purpose: polygons and polyhedra (34, 35: no fixed count), and the 3D shapes of order
// 3 and more with incomplete nodes other than tets (99-105, 111-117, 125-131), whose counts have
// changed between versions of Gmsh.
constexpr auto kRuns = std::to_array<Run>({
    {1, 1, Shape::kLine, Nodes::kComplete, 1},
    {2, 2, Shape::kTriangle, Nodes::kComplete, 1},
    {3, 3, Shape::kQuad, Nodes::kComplete, 1},
    {4, 4, Shape::kTet, Nodes::kComplete, 1},
    {5, 5, Shape::kHex, Nodes::kComplete, 1},
    {6, 6, Shape::kPrism, Nodes::kComplete, 1},
    {7, 7, Shape::kPyramid, Nodes::kComplete, 1},
    {8, 8, Shape::kLine, Nodes::kComplete, 2},
    {9, 9, Shape::kTriangle, Nodes::kComplete, 2},
    {10, 10, Shape::kQuad, Nodes::kComplete, 2},
    {11, 11, Shape::kTet, Nodes::kComplete, 2},
    {12, 12, Shape::kHex, Nodes::kComplete, 2},
    {13, 13, Shape::kPrism, Nodes::kComplete, 2},
    {14, 14, Shape::kPyramid, Nodes::kComplete, 2},
    {15, 15, Shape::kLine, Nodes::kComplete, 0},  // a point: a line of order 0
    {16, 16, Shape::kQuad, Nodes::kEdgesOnly, 2},
    {17, 17, Shape::kHex, Nodes::kEdgesOnly, 2},
    {18, 18, Shape::kPrism, Nodes::kEdgesOnly, 2},
    {19, 19, Shape::kPyramid, Nodes::kEdgesOnly, 2},
    {20, 20, Shape::kTriangle, Nodes::kEdgesOnly, 3},
    {21, 21, Shape::kTriangle, Nodes::kComplete, 3},
    {22, 22, Shape::kTriangle, Nodes::kEdgesOnly, 4},
    {23, 23, Shape::kTriangle, Nodes::kComplete, 4},
    {24, 24, Shape::kTriangle, Nodes::kEdgesOnly, 5},
    {25, 25, Shape::kTriangle, Nodes::kComplete, 5},
    {26, 28, Shape::kLine, Nodes::kComplete, 3},
    {29, 31, Shape::kTet, Nodes::kComplete, 3},
    {32, 33, Shape::kTet, Nodes::kEdgesOnly, 4},
    {36, 38, Shape::kQuad, Nodes::kComplete, 3},
    {39, 41, Shape::kQuad, Nodes::kEdgesOnly, 3},
    {42, 46, Shape::kTriangle, Nodes::kComplete, 6},
    {47, 51, Shape::kQuad, Nodes::kComplete, 6},
    {52, 56, Shape::kTriangle, Nodes::kEdgesOnly, 6},
    {57, 61, Shape::kQuad, Nodes::kEdgesOnly, 6},
    {62, 66, Shape::kLine, Nodes::kComplete, 6},
    {71, 75, Shape::kTet, Nodes::kComplete, 6},
    {79, 83, Shape::kTet, Nodes::kEdgesOnly, 6},
    {90, 91, Shape::kPrism, Nodes::kComplete, 3},
    {92, 98, Shape::kHex, Nodes::kComplete, 3},
    {106, 110, Shape::kPrism, Nodes::kComplete, 5},
    {118, 124, Shape::kPyramid, Nodes::kComplete, 3},
    {137, 137, Shape::kTet, Nodes::kEdgesOnly, 3},
});

constexpr std::uint64_t complete_count(Shape shape, std::uint64_t p) {
  switch (shape) {
    case Shape::kLine: return p + 1;
    case Shape::kTriangle: return (p + 1) * (p + 2) / 2;
    case Shape::kQuad: return (p + 1) * (p + 1);
    case Shape::kTet: return (p + 1) * (p + 2) * (p + 3) / 6;
    case Shape::kHex: return (p + 1) * (p + 1) * (p + 1);
    case Shape::kPrism: return (p + 1) * (p + 1) * (p + 2) / 2;
    case Shape::kPyramid: return (p + 1) * (p + 2) * (2 * p + 3) / 6;
  }
  return 0;
}

constexpr std::uint64_t edge_count(Shape shape) {
  constexpr std::array<std::uint64_t, 7> kEdges = {1, 3, 4, 6, 12, 9, 8};
  return kEdges[static_cast<std::size_t>(shape)];
}

// A count of 0 says that the type is not known.
struct Type {
  Shape shape;
  std::uint64_t count;
  std::uint64_t order;
};

constexpr Type type_of(std::int64_t type) {
  for (const Run& run : kRuns) {
    if (type < run.first_type || type > run.last_type) continue;
    const auto order = static_cast<std::uint64_t>(run.first_order + type - run.first_type);
    if (run.nodes == Nodes::kComplete) return {run.shape, complete_count(run.shape, order), order};
    const std::uint64_t corners = complete_count(run.shape, 1);
    return {run.shape, corners + edge_count(run.shape) * (order - 1), order};
  }
  return {Shape::kLine, 0, 0};
}

static_assert(type_of(kGmshLinearTet).count == 4);
static_assert(type_of(15).count == 1 && type_of(17).count == 20 && type_of(19).count == 13);
static_assert(type_of(31).count == 56 && type_of(75).count == 286 && type_of(83).count == 58);
static_assert(type_of(98).count == 1000 && type_of(110).count == 550 && type_of(124).count == 385);

}  // namespace

bool is_gmsh_curved_tet(std::int64_t type) {
  const Type found = type_of(type);
  return found.shape == Shape::kTet && found.order > 1;
}

std::uint64_t gmsh_node_count(std::int64_t type) { return type_of(type).count; }

}  // namespace lilyan
