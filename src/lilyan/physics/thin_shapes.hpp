// Built-in sheets and lines, and what is derived from triangles.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace lilyan {

enum class Diagonals { regular, alternate };

// A triangulated surface and/or a chain of edges.
struct ThinShape {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;
  // Of a grid, else zero: vertex (i, j) of (cells[0]+1)×(cells[1]+1) is number i·(cells[1]+1) + j.
  std::array<int, 2> cells{};
};

// A rectangle in the plane z = 0, centred at the origin: cells[0]×cells[1] cells of two triangles,
// all facing z. Their diagonals run the same way everywhere, or alternate like a chessboard.
[[nodiscard]] ThinShape grid(const std::array<double, 2>& size, const std::array<int, 2>& cells,
                             Diagonals diagonals = Diagonals::regular);

// Straight segments along x, centred at the origin.
[[nodiscard]] ThinShape line(double length, int segments);

// Every edge once, its vertices ascending, in ascending order.
[[nodiscard]] std::vector<std::array<int, 2>> edges_of(
    std::span<const std::array<int, 3>> triangles);

// Pairs of triangles with a common edge: its two vertices, then the opposite ones. Edges of more
// than two triangles give every pair.
[[nodiscard]] std::vector<std::array<int, 4>> hinges_of(
    std::span<const std::array<int, 3>> triangles);

}  // namespace lilyan
