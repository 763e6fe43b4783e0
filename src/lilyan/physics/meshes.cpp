#include "lilyan/physics/meshes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lilyan {
namespace {

double signed_volume(const TetMesh& mesh, const std::array<int, 4>& t) {
  const auto& o = mesh.vertices[t[0]];
  double e[3][3];
  for (int a = 0; a < 3; ++a) {
    for (int c = 0; c < 3; ++c) e[a][c] = mesh.vertices[t[a + 1]][c] - o[c];
  }
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

using Corner = std::array<int, 3>;

void add_positive(TetMesh& mesh, std::array<int, 4> tet) {
  if (signed_volume(mesh, tet) < 0) std::swap(tet[2], tet[3]);
  mesh.tets.push_back(tet);
}

// The tets follow the six monotone edge paths from the cube's lowest to its highest corner, so that
// neighbouring cubes agree on the diagonals of shared faces.
void add_six_tets(TetMesh& mesh, const Corner& lowest, const auto& index) {
  std::array<int, 3> axes = {0, 1, 2};
  do {
    Corner corner = lowest;
    std::array<int, 4> tet = {index(corner)};
    for (int a = 0; a < 3; ++a) {
      ++corner[axes[a]];
      tet[a + 1] = index(corner);
    }
    add_positive(mesh, tet);
  } while (std::ranges::next_permutation(axes).found);
}

// Every face's diagonal joins the lattice points whose coordinates have an even sum, whichever cube
// looks at it. Those of a cube make one tet; each other corner makes one with its three neighbours.
void add_five_tets(TetMesh& mesh, const Corner& lowest, const auto& index) {
  std::array<int, 4> middle{};
  int found = 0;
  for (int bits = 0; bits < 8; ++bits) {
    const Corner offset = {bits & 1, bits >> 1 & 1, bits >> 2};
    Corner corner = lowest;
    for (int a = 0; a < 3; ++a) corner[a] += offset[a];
    if ((corner[0] + corner[1] + corner[2]) % 2 == 0) {
      middle[found++] = index(corner);
      continue;
    }
    std::array<int, 4> tet = {index(corner)};
    for (int a = 0; a < 3; ++a) {
      Corner neighbour = corner;
      neighbour[a] += 1 - 2 * offset[a];
      tet[a + 1] = index(neighbour);
    }
    add_positive(mesh, tet);
  }
  add_positive(mesh, middle);
}

}  // namespace

TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells, CubeCut cut) {
  return block(size, cells, cut, {0, 0, 0}, cells);
}

TetMesh block(const std::array<double, 3>& size, const std::array<int, 3>& cells, CubeCut cut,
              const std::array<int, 3>& low, const std::array<int, 3>& high) {
  TetMesh mesh;
  const auto index = [&](const Corner& c) {
    return ((c[0] - low[0]) * (high[1] - low[1] + 1) + (c[1] - low[1])) * (high[2] - low[2] + 1) +
           (c[2] - low[2]);
  };
  for (int i = low[0]; i <= high[0]; ++i) {
    for (int j = low[1]; j <= high[1]; ++j) {
      for (int k = low[2]; k <= high[2]; ++k) {
        mesh.vertices.push_back({size[0] * (static_cast<double>(i) / cells[0] - 0.5),
                                 size[1] * (static_cast<double>(j) / cells[1] - 0.5),
                                 size[2] * (static_cast<double>(k) / cells[2] - 0.5)});
      }
    }
  }
  for (int i = low[0]; i < high[0]; ++i) {
    for (int j = low[1]; j < high[1]; ++j) {
      for (int k = low[2]; k < high[2]; ++k) {
        if (cut == CubeCut::kSixTets) {
          add_six_tets(mesh, {i, j, k}, index);
        } else {
          add_five_tets(mesh, {i, j, k}, index);
        }
      }
    }
  }
  return mesh;
}

TetMesh ball(double radius, int cells) {
  TetMesh mesh = block({2, 2, 2}, {cells, cells, cells});
  // Cube to ball: x √(1 − y²/2 − z²/2 + y²z²/3) and cyclically, which carries the cube's surface
  // onto the sphere.
  for (auto& p : mesh.vertices) {
    const auto [x, y, z] = std::array{p[0] * p[0], p[1] * p[1], p[2] * p[2]};
    p = {radius * p[0] * std::sqrt(1 - y / 2 - z / 2 + y * z / 3),
         radius * p[1] * std::sqrt(1 - z / 2 - x / 2 + z * x / 3),
         radius * p[2] * std::sqrt(1 - x / 2 - y / 2 + x * y / 3)};
  }
  for (auto& tet : mesh.tets) {
    if (signed_volume(mesh, tet) < 0) std::swap(tet[2], tet[3]);
  }
  return mesh;
}

Vector rest_positions(const TetMesh& mesh) {
  Vector x(3 * static_cast<Eigen::Index>(mesh.vertices.size()));
  Eigen::Index at = 0;
  for (const auto& vertex : mesh.vertices) {
    for (const double c : vertex) x[at++] = c;
  }
  return x;
}

std::vector<double> vertex_masses(const TetMesh& mesh, double density) {
  std::vector<double> masses(mesh.vertices.size(), 0.0);
  for (const auto& tet : mesh.tets) {
    const double share = density * std::abs(signed_volume(mesh, tet)) / 4;
    for (const int vertex : tet) masses[static_cast<std::size_t>(vertex)] += share;
  }
  return masses;
}

ClothMesh cloth_grid(const std::array<double, 2>& size, const std::array<int, 2>& cells,
                     Diagonals diagonals) {
  ClothMesh shape;
  shape.cells = cells;
  for (int i = 0; i <= cells[0]; ++i) {
    for (int j = 0; j <= cells[1]; ++j) {
      shape.vertices.push_back({size[0] * (static_cast<double>(i) / cells[0] - 0.5),
                                size[1] * (static_cast<double>(j) / cells[1] - 0.5), 0});
    }
  }
  const auto index = [&](int i, int j) { return i * (cells[1] + 1) + j; };
  for (int i = 0; i < cells[0]; ++i) {
    for (int j = 0; j < cells[1]; ++j) {
      const int a = index(i, j);
      const int b = index(i + 1, j);
      const int c = index(i + 1, j + 1);
      const int d = index(i, j + 1);
      if (diagonals == Diagonals::regular || (i + j) % 2 == 0) {
        shape.triangles.push_back({a, b, c});
        shape.triangles.push_back({a, c, d});
      } else {
        shape.triangles.push_back({a, b, d});
        shape.triangles.push_back({b, c, d});
      }
    }
  }
  return shape;
}

ClothMesh rod_line(double length, int segments) {
  ClothMesh shape;
  for (int i = 0; i <= segments; ++i) {
    shape.vertices.push_back({length * (static_cast<double>(i) / segments - 0.5), 0, 0});
    if (i > 0) shape.edges.push_back({i - 1, i});
  }
  return shape;
}

namespace {

// A triangle's side: its ends ascending, and the vertex opposite.
struct Side {
  std::array<int, 2> ends;
  int opposite;
};

std::vector<Side> sorted_sides(std::span<const std::array<int, 3>> triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (const auto& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k];
      const int b = t[(k + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t[(k + 2) % 3]});
    }
  }
  std::ranges::stable_sort(sides, {}, &Side::ends);
  return sides;
}

}  // namespace

std::vector<std::array<int, 2>> edges_of(std::span<const std::array<int, 3>> triangles) {
  std::vector<std::array<int, 2>> edges;
  for (const Side& side : sorted_sides(triangles)) {
    if (edges.empty() || edges.back() != side.ends) edges.push_back(side.ends);
  }
  return edges;
}

std::vector<std::array<int, 4>> hinges_of(std::span<const std::array<int, 3>> triangles) {
  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<std::array<int, 4>> hinges;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t j = i + 1; j < sides.size() && sides[j].ends == sides[i].ends; ++j) {
      hinges.push_back({sides[i].ends[0], sides[i].ends[1], sides[i].opposite, sides[j].opposite});
    }
  }
  return hinges;
}

}  // namespace lilyan
