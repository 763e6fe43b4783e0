// Meshes of tets and of faces from VTK XML unstructured grids (.vtu), and what the types of cells are that no
// mesh can have: vtkCellType.h.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"
#include "app/files/vtu.hpp"

namespace lilyan {
namespace {

// Places within the file are known no more: line 0 leaves them out of messages.
constexpr std::uint64_t kNoPlace = 0;

// Names of curved cells end with their order.
struct VtuKind {
  std::int64_t type;
  std::string_view name;
  int dimension;
};
constexpr std::array<VtuKind, 27> kVtuKinds = {{
    {1, "point", 0},
    {2, "point", 0},
    {11, "hexahedron", 3},
    {12, "hexahedron", 3},
    {13, "prism", 3},
    {14, "pyramid", 3},
    {15, "pentagonal prism", 3},
    {16, "hexagonal prism", 3},
    {21, "line of order 2", 1},
    {22, "triangle of order 2", 2},
    {23, "quadrangle of order 2", 2},
    {24, "tetrahedron of order 2", 3},
    {25, "hexahedron of order 2", 3},
    {26, "prism of order 2", 3},
    {27, "pyramid of order 2", 3},
    {28, "quadrangle of order 2", 2},
    {29, "hexahedron of order 2", 3},
    {30, "quadrangle of order 2", 2},
    {31, "prism of order 2", 3},
    {32, "prism of order 2", 3},
    {33, "hexahedron of order 2", 3},
    {34, "triangle of order 2", 2},
    {35, "line of order 3", 1},
    {36, "polygon of order 2", 2},
    {37, "pyramid of order 2", 3},
    {41, "convex hull", 3},
    {42, "polyhedron", 3},
}};

struct OtherKind {
  std::string name;
  int dimension;
};

// Lagrange's cells begin at 68 and Bézier's at 75; those from 60 on are older.
std::optional<OtherKind> of_any_order(std::int64_t type) {
  constexpr std::array<VtuKind, 8> kShapes = {{{0, "line", 1},
                                               {1, "triangle", 2},
                                               {2, "quadrangle", 2},
                                               {3, "tetrahedron", 3},
                                               {4, "hexahedron", 3},
                                               {5, "prism", 3},
                                               {6, "pyramid", 3},
                                               {7, "polygon", 2}}};
  constexpr std::array<std::size_t, 7> kOlder = {0, 1, 2, 7, 3, 5, 4};
  if (type < 60 || type > 81 || type == 67) return {};
  const auto at = static_cast<std::size_t>(type < 67 ? type - 60 : (type - 68) % 7);
  const VtuKind& shape = kShapes[type < 67 ? kOlder[at] : at];
  return OtherKind{std::string(shape.name) + " of order 2 or more", shape.dimension};
}

OtherKind kind_of(std::int64_t type) {
  if (const std::optional<OtherKind> found = of_any_order(type)) return *found;
  const auto* kind = std::ranges::find(kVtuKinds, type, &VtuKind::type);
  if (kind != kVtuKinds.end()) return {std::string(kind->name), kind->dimension};
  return {"cell of VTK type " + std::to_string(type), MeshBuilder::kUnknownDimension};
}

MeshBuilder builder_with_points(const TextScanner& at, const VtuContent& content, MeshCells cells) {
  MeshBuilder builder(cells);
  for (const auto& [type, count] : content.other_cells) {
    const OtherKind kind = kind_of(type);
    builder.pass_over(kNoPlace, kind.name, kind.dimension, count);
  }
  const auto add_sides = [&](const char* kind, const auto& sides) {
    for (const auto& side : sides) {
      std::array<std::uint64_t, 3> corners{};
      std::ranges::copy(side, corners.begin());
      builder.add_side(kind, {corners.data(), side.size()});
    }
  };
  add_sides("line", content.edges);
  if (cells == MeshCells::tets) {
    add_sides("triangle", content.triangles);
  } else {
    builder.pass_over(kNoPlace, "tetrahedron", 3, content.tets.size());
  }
  builder.reserve_vertices(content.points.size());
  for (std::size_t i = 0; i < content.points.size(); ++i)
    builder.add_vertex(at, i, content.points[i]);
  return builder;
}

}  // namespace

TetMeshOfFile read_vtu_mesh(const std::string& file, std::string_view bytes) {
  const VtuContent content = read_vtu(file, bytes);
  const TextScanner at(file, bytes);
  MeshBuilder builder = builder_with_points(at, content, MeshCells::tets);
  std::uint64_t number = 0;
  for (const std::array<int, 4>& t : content.tets) {
    std::array<std::uint64_t, 4> corners{};
    std::ranges::copy(t, corners.begin());
    builder.add_tet(at, kNoPlace, number++, corners);
  }
  return builder.finish(at);
}

SurfaceMesh read_vtu_surface(const std::string& file, std::string_view bytes) {
  const VtuContent content = read_vtu(file, bytes);
  const TextScanner at(file, bytes);
  MeshBuilder builder = builder_with_points(at, content, MeshCells::faces);
  std::uint64_t number = 0;
  for (const std::array<int, 3>& t : content.triangles) {
    std::array<std::uint64_t, 3> corners{};
    std::ranges::copy(t, corners.begin());
    builder.add_face(kNoPlace, number++, corners);
  }
  return builder.finish_surface(at);
}

}  // namespace lilyan
