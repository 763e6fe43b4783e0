// Meshes of solids, of cloth and of rods, and the built-in ones.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lilyan/base/types.hpp"

namespace lilyan {

// Vertices are 3D points; a tet lists four vertex indices, counted from 0, positively oriented
// when (b-a)·((c-a)×(d-a)) > 0.
struct TetMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 4>> tets;
  std::size_t unused_vertices = 0;  // of the file, dropped because no tet has them
};

// How a cube of a block is cut. Both cuts are conforming. Six tets (Kuhn) are all alike and lie the
// same way in every cube; five are one in the middle and four corners, mirrored from cube to cube.
enum class CubeCut { kSixTets, kFiveTets };

// An axis-parallel block centred at the origin, with cells[0]×cells[1]×cells[2] cubes. A bar is a
// long block.
[[nodiscard]] TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells,
                            CubeCut cut = CubeCut::kSixTets);
// Of these cubes only those from `low` up to, but not including, `high`.
[[nodiscard]] TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells,
                            CubeCut cut, const std::array<int, 3>& low,
                            const std::array<int, 3>& high);

// A ball of the given radius centred at the origin: a block of cells³ cubes mapped smoothly onto
// the ball.
[[nodiscard]] TetMesh ball(double radius, int cells);

// The vertices of a mesh as degrees of freedom, and the mass of each when every tet gives its mass in
// equal parts to its vertices.
[[nodiscard]] Vector rest_positions(const TetMesh& mesh);
[[nodiscard]] std::vector<double> vertex_masses(const TetMesh& mesh, double density);

enum class Diagonals { regular, alternate };

// A cloth (triangles) or a rod (a chain of edges).
struct ClothMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;
  // The cells of a grid, else zero: vertex (i, j) of (cells[0]+1)×(cells[1]+1) is number i·(cells[1]+1) + j.
  std::array<int, 2> cells{};
};

// A rectangle in the plane z = 0, centred at the origin: cells[0]×cells[1] cells of two triangles,
// all facing z. Their diagonals run the same way everywhere, or alternate like a chessboard.
[[nodiscard]] ClothMesh cloth_grid(const std::array<double, 2>& size,
                                   const std::array<int, 2>& cells,
                                   Diagonals diagonals = Diagonals::regular);

// Straight segments along x, centred at the origin.
[[nodiscard]] ClothMesh rod_line(double length, int segments);

// Every edge once, its vertices ascending, in ascending order.
[[nodiscard]] std::vector<std::array<int, 2>> edges_of(
    std::span<const std::array<int, 3>> triangles);

// Pairs of triangles with a common edge: its two vertices, then the opposite ones. Edges of more
// than two triangles give every pair.
[[nodiscard]] std::vector<std::array<int, 4>> hinges_of(
    std::span<const std::array<int, 3>> triangles);

}  // namespace lilyan
