// Built-in tetrahedral shapes.
#pragma once

#include <array>

#include "lilyan/io/mesh.hpp"

namespace lilyan {

// An axis-parallel block centred at the origin, with cells[0]×cells[1]×cells[2] cubes of six tets
// each (Kuhn's subdivision, conforming). A bar is a long block.
[[nodiscard]] TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells);

// A ball of the given radius centred at the origin: a block of cells³ cubes mapped smoothly onto
// the ball.
[[nodiscard]] TetMesh ball(double radius, int cells);

}  // namespace lilyan
