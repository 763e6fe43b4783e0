#include "lilyan/physics/thin_shapes.hpp"

#include <algorithm>
#include <cstddef>

namespace lilyan {

ThinShape grid(const std::array<double, 2>& size, const std::array<int, 2>& cells,
               Diagonals diagonals) {
  ThinShape shape;
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

ThinShape line(double length, int segments) {
  ThinShape shape;
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
