// Built-in tetrahedral shapes.
#pragma once

#include <array>

#include "lilyan/physics/mesh.hpp"

namespace lilyan {

// How a cube of a block is cut. Both cuts are conforming. Six tets (Kuhn) are all alike and lie the
// same way in every cube; five are one in the middle and four corners, mirrored from cube to cube.
enum class CubeCut { kSixTets, kFiveTets };

// An axis-parallel block centred at the origin, with cells[0]×cells[1]×cells[2] cubes. A bar is a
// long block.
[[nodiscard]] TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells,
                            CubeCut cut = CubeCut::kSixTets);

// A ball of the given radius centred at the origin: a block of cells³ cubes mapped smoothly onto
// the ball.
[[nodiscard]] TetMesh ball(double radius, int cells);

}  // namespace lilyan
