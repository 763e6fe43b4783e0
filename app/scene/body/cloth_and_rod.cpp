// Cloth and rods: the keys of a [[body]] that solids do not have.
#include "app/scene/body/body.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "app/files/mesh.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan {
namespace {

ClothMesh read_sheet(TableReader& reader) {
  const std::vector<double> size = reader.numbers("size", 2);
  if (!(size[0] > 0 && size[1] > 0)) reader.fail("size", "'size' must be two positive numbers");
  const std::vector<int> cells = reader.wholes("cells", 2, 1, 4000);
  const bool regular = reader.choice("diagonals", {"regular", "alternate"}, "regular") == "regular";
  reader.finish();
  return cloth_grid({size[0], size[1]}, {cells[0], cells[1]},
                    regular ? Diagonals::regular : Diagonals::alternate);
}

// A picture that fills the whole grid.
std::vector<TriangleTexture> grid_texture(const ClothMesh& grid) {
  const auto [columns, rows] = grid.cells;
  std::vector<TriangleTexture> texture;
  for (const std::array<int, 3>& corners : grid.triangles) {
    TriangleTexture& places = texture.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      places[2 * k] = static_cast<float>(corners[k] / (rows + 1)) / static_cast<float>(columns);
      places[2 * k + 1] = static_cast<float>(corners[k] % (rows + 1)) / static_cast<float>(rows);
    }
  }
  return texture;
}

ClothMesh read_line(TableReader& reader) {
  const double length = reader.positive("length");
  const int segments = reader.whole("segments", 1, 1000000);
  reader.finish();
  return rod_line(length, segments);
}

ClothMesh read_cloth_mesh(TableReader& reader, Body& body) {
  const double share = read_merge_share(reader);
  SurfaceMesh mesh = read_body_surface(reader, reader.file("mesh"), share, body);
  body.texture = std::move(mesh.texture);
  return {.vertices = std::move(mesh.vertices), .triangles = std::move(mesh.triangles)};
}

// Pairs of vertices two apart along a grid's lines or along a rod, or on both sides of an edge.
std::vector<std::array<int, 2>> bend_pairs(const Body& body) {
  std::vector<std::array<int, 2>> pairs;
  const auto [columns, rows] = body.grid;
  for (int i = 0; i <= columns && columns > 0; ++i) {
    for (int j = 0; j <= rows; ++j) {
      const int at = i * (rows + 1) + j;
      if (i + 2 <= columns) pairs.push_back({at, at + 2 * (rows + 1)});
      if (j + 2 <= rows) pairs.push_back({at, at + 2});
    }
  }
  if (columns > 0) return pairs;
  if (body.kind == BodyKind::rod) {
    for (std::size_t k = 0; k + 1 < body.edges.size(); ++k) {
      pairs.push_back({body.edges[k][0], body.edges[k + 1][1]});
    }
    return pairs;
  }
  for (const Hinge& h : hinges_of(body.triangles)) pairs.push_back({h[2], h[3]});
  return pairs;
}

void read_spring_network(TableReader reader, Body& body) {
  reader.expect({"kind", "stretch", "shear", "bend"});
  body.spring_kind = reader.choice("kind", {"stvk", "hookean"}, "stvk") == "stvk"
                         ? SpringKind::stvk
                         : SpringKind::hookean;
  const double stretch = reader.positive("stretch");
  const bool is_grid = body.grid[0] > 0;
  const double shear = is_grid ? reader.positive("shear", stretch) : stretch;
  const double bend = reader.not_negative("bend", 0.0);
  reader.finish();

  const auto add = [&](const std::array<int, 2>& pair, double stiffness) {
    const double length =
        (body.rest.segment<3>(3 * pair[0]) - body.rest.segment<3>(3 * pair[1])).norm();
    body.springs.push_back({pair[0], pair[1], stiffness, length});
  };
  const int row = body.grid[1] + 1;
  for (const auto& e : body.kind == BodyKind::rod ? body.edges : edges_of(body.triangles)) {
    const bool diagonal = is_grid && e[1] - e[0] != 1 && e[1] - e[0] != row;
    add(e, diagonal ? shear : stretch);
  }
  if (bend > 0) {
    for (const auto& pair : bend_pairs(body)) add(pair, bend);
  }
}

void read_membrane(TableReader reader, Body& body) {
  reader.choice("model", {"membrane-stvk"}, "membrane-stvk");
  const double thickness = reader.positive("thickness", 1.0);
  reader.expect({"model", "thickness"});
  try {
    body.material_parameters = read_parameters(reader, lame_parameters());
    auto [mu, lambda] = lame(body.material_parameters);
    // Plane stress: a sheet is free to become thinner.
    if (body.material_parameters.has("young")) lambda = 2 * mu * lambda / (lambda + 2 * mu);
    body.membrane = MembraneStiffness{thickness * mu, thickness * lambda};
  } catch (const ParameterError& error) {
    fail_parameter(reader, error);
  }
}

}  // namespace

void read_cloth_or_rod_shape(TableReader& reader, const std::string& source, Body& body) {
  ClothMesh shape;
  if (source == "mesh") {
    shape = read_cloth_mesh(reader, body);
  } else {
    TableReader table = reader.table("shape");
    const bool sheet = table.choice("kind", {"grid", "line"}) == "grid";
    if (sheet != (body.kind == BodyKind::cloth)) {
      table.fail("kind", sheet ? "a rod is a 'line', not a 'grid'"
                               : "a cloth is a 'grid' or a mesh, not a 'line'");
    }
    shape = sheet ? read_sheet(table) : read_line(table);
    if (sheet) body.texture = grid_texture(shape);
  }
  body.set_rest(shape.vertices);
  body.triangles = std::move(shape.triangles);
  body.edges = std::move(shape.edges);
  body.grid = shape.cells;
}

std::vector<double> areas_or_lengths(const TableReader& reader, const std::string& source,
                                     const Body& body) {
  const auto at = [&](int vertex) -> Vec3 { return body.rest.segment<3>(3 * vertex); };
  std::vector<double> measures;
  std::map<std::array<int, 3>, std::size_t> seen;
  for (const auto& t : body.triangles) {
    const std::string which = fmt::format("triangle {} (counted from 0; vertices {} {} {})",
                                          measures.size(), t[0], t[1], t[2]);
    std::array<int, 3> sorted = t;
    std::ranges::sort(sorted);
    const auto [twin, fresh] = seen.emplace(sorted, measures.size());
    if (!fresh) {
      reader.fail(source, fmt::format("{} has the same vertices as triangle {}; remove one of them",
                                      which, twin->second));
    }
    const Vec3 a = at(t[1]) - at(t[0]);
    const Vec3 b = at(t[2]) - at(t[0]);
    measures.push_back(0.5 * a.cross(b).norm());
    if (measures.back() > 1e-13 * std::max(a.squaredNorm(), b.squaredNorm())) continue;
    reader.fail(
        source,
        fmt::format("{} has no area in the rest shape; remove it or repair the mesh", which));
  }
  for (const auto& e : body.edges) measures.push_back((at(e[1]) - at(e[0])).norm());
  return measures;
}

void read_cloth_or_rod_material(TableReader& reader, Body& body) {
  const bool rod = body.kind == BodyKind::rod;
  if (rod && reader.has("material")) {
    reader.fail("material", "a rod has no 'material': give it 'springs' and 'bending'");
  }
  if (!reader.has("springs") && (rod || !reader.has("material"))) {
    reader.refuse_misspelling("springs");
    reader.fail(
        "springs",
        fmt::format("nothing holds '{}' together: add springs = {{ kind = \"stvk\", "
                    "stretch = … }}{}",
                    body.name, rod ? "" : " or material = { model = \"membrane-stvk\", … }"));
  }
  if (reader.has("springs")) read_spring_network(reader.table("springs"), body);
  if (reader.has("material")) read_membrane(reader.table("material"), body);
  if (reader.has("bending")) body.bending = reader.positive("bending");
}

void add_cloth_or_rod_energies(const Body& body, int first, const Vector& rest, System& system) {
  const auto shifted = [first](auto elements) {
    for (auto& element : elements) {
      for (int& vertex : element) vertex += first;
    }
    return elements;
  };
  if (!body.springs.empty()) {
    std::vector<Spring> list = body.springs;
    for (Spring& s : list) {
      s.a += first;
      s.b += first;
    }
    system.add(springs(body.spring_kind, list));
  }
  if (body.membrane) system.add(membrane(*body.membrane, rest, shifted(body.triangles)));
  if (body.bending > 0 && body.kind == BodyKind::cloth) {
    system.add(hinge_bending(body.bending, rest, shifted(hinges_of(body.triangles))));
  }
  if (body.bending > 0 && body.kind == BodyKind::rod) {
    std::vector<std::array<int, 3>> corners;
    for (std::size_t k = 0; k + 1 < body.edges.size(); ++k) {
      corners.push_back({body.edges[k][0], body.edges[k][1], body.edges[k + 1][1]});
    }
    system.add(rod_bending(body.bending, rest, shifted(corners)));
  }
}

}  // namespace lilyan
