#include "app/scene/body/body.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "app/files/mesh.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan {
namespace {

constexpr double kMostTets = 2e7;  // what fits into memory, and into the solver's indices

// Process 0 makes a mesh, or reads it, and gives the others their parts of it.
template <class Make>
PartOfMesh shared_mesh(const Distribution* ranks, const Make& make) {
  if (!ranks) return {.mesh = make()};
  return ranks->scatter(ranks->rank() == 0 ? make() : TetMesh{});
}

PartOfMesh read_solid_shape(TableReader reader, const Distribution* ranks) {
  const std::string kind = reader.choice("kind", {"bar", "box", "ball"});
  PartOfMesh result;
  if (kind == "ball") {
    const double radius = reader.positive("radius", 1.0);
    const int cells = reader.whole("cells", 1, 150);
    result = shared_mesh(ranks, [&] { return ball(radius, cells); });
  } else {
    const Vec3 size = reader.size("size");
    const std::vector<int> cells = reader.wholes("cells", 3, 1, 1000);
    const double tets = 6.0 * cells[0] * cells[1] * cells[2];
    const int processes = ranks ? ranks->count() : 1;
    if (tets > kMostTets * processes) {
      reader.fail("cells",
                  fmt::format("these cells make {:.3g} tets; at most {:.0g} are possible{}", tets,
                              kMostTets * processes, ranks ? " on so many ranks" : ""));
    }
    const int given = reader.whole("tets_per_cell", 5, 6, 6);
    const CubeCut cut = given == 5 ? CubeCut::kFiveTets : CubeCut::kSixTets;
    const std::array<double, 3> extent = {size[0], size[1], size[2]};
    const std::array<int, 3> cubes = {cells[0], cells[1], cells[2]};
    result = ranks ? block_part(extent, cubes, cut, ranks->rank(), processes)
                   : PartOfMesh{.mesh = block(extent, cubes, cut)};
  }
  reader.finish();
  return result;
}

// Scales, then rotates, then translates.
void place_rest_shape(TableReader& reader, Vector& rest) {
  const double scale = reader.positive("scale", 1.0);
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  if (reader.has("rotate")) {
    TableReader rotate = reader.table("rotate");
    const Vec3 axis = rotate.direction("axis");
    const double angle = rotate.number("angle") * std::numbers::pi / 180;
    rotate.finish();
    turn = Eigen::AngleAxisd(angle, axis.stableNormalized()).toRotationMatrix();
  }
  const Vec3 shift = reader.vector("translate", Vec3::Zero());
  for (int i = 0; i < rest.size() / 3; ++i) {
    rest.segment<3>(3 * i) = scale * (turn * rest.segment<3>(3 * i)) + shift;
  }
}

// Volumes of the rest tets; refuses those that cannot be simulated.
std::vector<double> rest_volumes(const TableReader& reader, const std::string& source_key,
                                 const Body& body) {
  std::vector<double> volumes;
  std::map<std::array<int, 4>, std::size_t> seen;
  for (std::size_t e = 0; e < body.tets.size(); ++e) {
    const auto& t = body.tets[e];
    Eigen::Matrix3d edges;
    for (int c = 0; c < 3; ++c) {
      edges.col(c) = body.rest.segment<3>(3 * t[c + 1]) - body.rest.segment<3>(3 * t[0]);
    }
    const double volume = edges.determinant() / 6;
    const double longest = edges.colwise().norm().maxCoeff();
    const auto number = [&](int v) {
      return body.ranks ? body.part.number[static_cast<std::size_t>(v)] : long{v};
    };
    const std::string which = fmt::format("tet {}(counted from 0; vertices {} {} {} {})",
                                          body.ranks ? "" : fmt::format("{} ", e), number(t[0]),
                                          number(t[1]), number(t[2]), number(t[3]));
    if (!(std::abs(volume) > 1e-13 * longest * longest * longest)) {
      reader.fail(
          source_key,
          fmt::format("{} has no volume in the rest shape; remove it or repair the mesh", which));
    }
    if (volume < 0) {
      reader.fail(source_key, fmt::format("{} is inverted in the rest shape: its volume is {:.4g}; "
                                          "swap two of its vertices",
                                          which, volume));
    }
    std::array<int, 4> sorted = t;
    std::ranges::sort(sorted);
    const auto [twin, fresh] = seen.emplace(sorted, e);
    if (!fresh) {
      reader.fail(source_key,
                  fmt::format("{} is the same as tet {}; remove one of them", which, twin->second));
    }
    volumes.push_back(volume);
  }
  return volumes;
}

// Gives each element's mass to its vertices in equal parts; `volumes` are areas of a cloth and lengths
// of a rod.
template <std::size_t K>
void lump_mass(TableReader& reader, const std::vector<double>& volumes,
               const std::vector<std::array<int, K>>& elements, Body& body) {
  if (reader.has("mass") && reader.has("density")) {
    reader.fail("density", "give either 'mass' or 'density', not both");
  }
  double volume = 0;
  const std::size_t counted = body.ranks ? body.counted_tets() : volumes.size();
  for (std::size_t e = 0; e < counted; ++e) volume += volumes[e];
  volume = body.total(volume);
  const double density =
      reader.has("density") ? reader.positive("density") : reader.positive("mass") / volume;
  body.masses.assign(static_cast<std::size_t>(body.rest.size() / 3), 0.0);
  for (std::size_t e = 0; e < volumes.size(); ++e) {
    for (const int a : elements[e]) {
      body.masses[static_cast<std::size_t>(a)] += density * volumes[e] / K;
    }
  }
  if (body.ranks) body.ranks->refresh(body.part, body.masses);
}

// A surface cannot be a solid, which is what its material may ask for.
void refuse_solid_surface(TableReader& reader, const std::string& kind) {
  std::string why = kind == "solid" ? "cannot be a solid" : "";
  if (reader.is_table("material") && reader.table("material").has("model")) {
    const std::string model = reader.table("material").text("model");
    if (find_material(model)) why = fmt::format("cannot have {}, a material of solids", model);
  }
  if (why.empty()) return;
  const std::filesystem::path file = reader.file("mesh");
  std::filesystem::path filled = file.filename();
  reader.fail("mesh",
              fmt::format("{} is a surface and {}: fill it with tets first, with ./lilyan "
                          "mesh tetrahedralize {} {}",
                          filled.string(), why, filled.string(),
                          std::filesystem::path(filled).replace_extension(".vtu").string()));
}

// The key 'kind' says it, or by default what the body is made from.
BodyKind body_kind(TableReader& reader, const std::string& source) {
  std::string default_kind = "solid";
  if (source == "mesh") {
    const std::string extension = reader.file("mesh").extension().string();
    if (extension == ".obj" || extension == ".ply" || extension == ".stl") default_kind = "cloth";
  } else {
    const std::string shape =
        reader.table("shape").choice("kind", {"bar", "box", "ball", "grid", "line"});
    if (shape == "grid") default_kind = "cloth";
    if (shape == "line") default_kind = "rod";
  }
  const std::string kind = reader.choice("kind", {"solid", "cloth", "rod"}, default_kind);
  if (source == "mesh" && default_kind == "cloth") refuse_solid_surface(reader, kind);
  if (kind == "rod" && source == "mesh") {
    reader.fail("kind", "a rod cannot be read from a mesh; use shape = { kind = \"line\", … }");
  }
  return kind == "solid" ? BodyKind::solid : kind == "cloth" ? BodyKind::cloth : BodyKind::rod;
}

// The key that says what the body is made from: 'mesh' or 'shape'.
std::string body_source(TableReader& reader) {
  if (!reader.has("mesh")) reader.refuse_misspelling("mesh");
  if (!reader.has("shape")) reader.refuse_misspelling("shape");
  if (reader.has("mesh") == reader.has("shape")) {
    reader.fail("shape", reader.has("mesh") ? "give either 'mesh' or 'shape', not both"
                                            : "a body needs a 'mesh' file or a built-in 'shape'");
  }
  if (reader.has("mesh")) return "mesh";
  if (const char* key = reader.has("merge") ? "merge" : "merge_within"; reader.has(key)) {
    reader.fail(
        key,
        fmt::format("'{}' joins vertices of a mesh file; a built-in shape has none to join", key));
  }
  return "shape";
}

void read_solid(TableReader& reader, const std::string& source, Body& body) {
  PartOfMesh read;
  if (source == "mesh") {
    const std::filesystem::path file = reader.file("mesh");
    const double share = read_merge_share(reader);
    read = shared_mesh(body.ranks, [&] { return read_body_tets(reader, file, share, body); });
  } else {
    read = read_solid_shape(reader.table("shape"), body.ranks);
  }
  body.part = std::move(read.part);
  body.tets = std::move(read.mesh.tets);
  body.set_rest(read.mesh.vertices);
  place_rest_shape(reader, body.rest);
  lump_mass(reader, rest_volumes(reader, source, body), body.tets, body);
}

void read_cloth_or_rod(TableReader& reader, const std::string& source, Body& body) {
  read_cloth_or_rod_shape(reader, source, body);
  place_rest_shape(reader, body.rest);
  const std::vector<double> measures = areas_or_lengths(reader, source, body);
  if (body.kind == BodyKind::cloth) {
    lump_mass(reader, measures, body.triangles, body);
  } else {
    lump_mass(reader, measures, body.edges, body);
  }
}

// Springs that hold vertices where they start.
void read_anchors(TableReader& reader, Body& body) {
  for (TableReader& table : reader.tables("attach")) {
    const double stiffness = table.positive("stiffness");
    const std::vector<int> vertices = read_region(table, body);
    table.finish();
    for (const int i : vertices) {
      // Where several processes share the body, each vertex is held by its owner.
      if (i < body.owned()) body.anchors.push_back({i, body.x.segment<3>(3 * i), stiffness});
    }
  }
}

void read_fixed(TableReader& reader, Body& body) {
  body.fixed.assign(body.masses.size(), 0);
  for (TableReader& table : reader.tables("fix")) {
    for (const int i : read_region(table, body)) body.fixed[static_cast<std::size_t>(i)] = 1;
    table.finish();
  }
}

void read_scripts(TableReader& reader, Body& body) {
  std::vector<char> scripted(body.masses.size(), 0);
  for (const TableReader& table : reader.tables("script")) {
    SceneScript script = read_script(table, body);
    for (const int i : script.vertices) {
      const auto at = static_cast<std::size_t>(i);
      if (body.fixed[at] || scripted[at]) {
        table.fail("region", fmt::format("vertex {} is {} already",
                                         body.ranks ? body.part.number[at] : long{i},
                                         scripted[at] ? "moved by another script" : "fixed"));
      }
      scripted[at] = 1;
    }
    body.scripts.push_back(std::move(script));
  }
}

void read_forces(TableReader& reader, Body& body) {
  for (TableReader& table : reader.tables("force")) {
    SceneForce force = read_force(table, 3);
    if (has_region(table)) force.vertices = read_region(table, body);
    table.finish({"region"});
    body.forces.push_back(std::move(force));
  }
}

void read_solid_material(TableReader& reader, Body& body) {
  if (!reader.has("material")) {
    reader.refuse_misspelling("material");
    reader.fail("material", fmt::format("'{}' has no material: add material = {{ model = \"stvk\", "
                                        "mu = …, lambda = … }}",
                                        body.name));
  }
  TableReader material = reader.table("material");
  std::vector<std::string> names;
  for (const MaterialInfo& m : materials()) names.push_back(m.name);
  const std::string model = material.choice("model", names, "stvk");
  body.material = find_material(model);
  body.material_parameters = read_parameters(material, body.material->parameters);
  try {
    // Made without tets, only to see whether the values are admissible.
    (void)body.material->make({body.rest, {}}, body.material_parameters);
  } catch (const ParameterError& error) {
    fail_parameter(material, error);
  }
}

}  // namespace

Eigen::AlignedBox3d Body::box() const {
  Eigen::AlignedBox3d own;
  for (int i = 0; i < count(); ++i) own.extend(Vec3(rest.segment<3>(3 * i)));
  return box_around(own, ranks);
}

void Body::set_rest(const std::vector<std::array<double, 3>>& points) {
  rest.resize(3 * static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      rest[static_cast<Eigen::Index>(3 * i + c)] = points[i][c];
    }
  }
}

Body read_body(TableReader reader, int number, const Distribution* ranks) {
  reader.expect({"name",      "kind",
                 "mesh",      "shape",
                 "scale",     "rotate",
                 "translate", "mass",
                 "density",   "deform",
                 "positions", "velocities",
                 "velocity",  "angular_velocity",
                 "fix",       "force",
                 "attach",    "material",
                 "springs",   "bending",
                 "script",    "damping",
                 "merge",     "merge_within"});
  Body body;
  body.ranks = ranks;
  body.name = reader.text("name", fmt::format("body{}", number));
  const std::string source = body_source(reader);
  body.kind = body_kind(reader, source);
  if (ranks && body.kind != BodyKind::solid) {
    reader.fail("kind", "a run on several ranks is for solids: cloth and rods run on one");
  }
  if (body.kind == BodyKind::solid) {
    read_solid(reader, source, body);
  } else {
    read_cloth_or_rod(reader, source, body);
  }
  read_initial_state(reader, body);
  read_anchors(reader, body);
  read_fixed(reader, body);
  read_scripts(reader, body);
  read_forces(reader, body);
  if (body.kind == BodyKind::solid) {
    read_solid_material(reader, body);
  } else {
    read_cloth_or_rod_material(reader, body);
  }
  check_start_shape(reader, body);
  if (reader.has("damping")) {
    body.damping = read_damping(reader.table("damping"));
    if (body.damping.of_strain() && body.kind != BodyKind::solid) {
      reader.fail("damping", "strain damping is for solids; use model = \"rayleigh\"");
    }
  }
  reader.finish();
  return body;
}

}  // namespace lilyan
