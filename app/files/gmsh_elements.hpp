// Gmsh's element types: how many nodes each has.
#pragma once

#include <cstdint>

namespace lilyan {

constexpr std::int64_t kGmshTriangle = 2;
constexpr std::int64_t kGmshQuad = 3;
constexpr std::int64_t kGmshLinearTet = 4;

// True for tetrahedra with nodes besides their corners.
[[nodiscard]] bool is_gmsh_curved_tet(std::int64_t type);

// 0 if the type is not known, or has no fixed number of nodes. Needed to find the end of an element
// in a binary file.
[[nodiscard]] std::uint64_t gmsh_node_count(std::int64_t type);

}  // namespace lilyan
