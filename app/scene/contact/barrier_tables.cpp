#include "app/scene/contact/barrier_tables.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "app/files/intersections.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "lilyan/contact/barrier_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {
namespace {

// The reach is this share of the smallest body's size, but no more than this share of the shortest edge.
constexpr double kReachOfBody = 5e-3;
constexpr double kReachOfEdge = 0.25;

const std::array<std::array<int, 3>, 12> kBoxTriangles = {{{0, 1, 3},
                                                           {0, 3, 2},
                                                           {4, 7, 5},
                                                           {4, 6, 7},
                                                           {0, 5, 1},
                                                           {0, 4, 5},
                                                           {2, 3, 7},
                                                           {2, 7, 6},
                                                           {0, 2, 6},
                                                           {0, 6, 4},
                                                           {1, 5, 7},
                                                           {1, 7, 3}}};

bool turns(const RigidMotion& motion) {
  if (!motion.moves()) return false;
  constexpr int kLooks = 1000;
  for (int k = 1; k <= kLooks; ++k) {
    const Eigen::Matrix3d rotation = motion.at(0.0173 * k).rotation;
    if (!rotation.isIdentity(1e-12)) return true;
  }
  return false;
}

std::vector<Vec3> vertices_of(const Obstacle& obstacle) {
  struct Vertices {
    bool inside;
    std::vector<Vec3> operator()(const PlaneShape& s) const { return {s.point}; }
    std::vector<Vec3> operator()(const SphereShape& s) const { return {s.center}; }
    std::vector<Vec3> operator()(const BoxShape& s) const {
      std::vector<Vec3> all;
      if (inside) {  // a point of each side
        for (int axis = 0; axis < 3; ++axis) {
          for (const double side : {-1.0, 1.0}) {
            all.emplace_back(s.center + side * s.half[axis] * Vec3::Unit(axis));
          }
        }
        return all;
      }
      for (int k = 0; k < 8; ++k) {
        const Vec3 corner((k & 4) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 1) != 0 ? 1 : -1);
        all.emplace_back(s.center + corner.cwiseProduct(s.half));
      }
      return all;
    }
    std::vector<Vec3> operator()(const CapsuleShape& s) const { return {s.from, s.to}; }
  };
  return std::visit(Vertices{obstacle.inside_out}, obstacle.shape);
}

// Adds an obstacle to what may touch, as the body with this number.
void add_held(const HeldObstacle& held, int body, BarrierModel& model) {
  const Obstacle& obstacle = held.obstacle;
  const int first = held.first;
  if (const auto* plane = std::get_if<PlaneShape>(&obstacle.shape)) {
    model.planes.push_back({body, first, plane->normal, held.friction});
    return;
  }
  const auto* box = std::get_if<BoxShape>(&obstacle.shape);
  if (box && obstacle.inside_out) {
    int vertex = first;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        model.planes.push_back({body, vertex++, -side * Vec3::Unit(axis), held.friction});
      }
    }
    return;
  }
  const auto* sphere = std::get_if<SphereShape>(&obstacle.shape);
  const auto* capsule = std::get_if<CapsuleShape>(&obstacle.shape);
  if (obstacle.inside_out) {
    const double radius = sphere ? sphere->radius : capsule->radius;
    model.containers.push_back({body, {first, sphere ? first : first + 1}, radius, held.friction});
    return;
  }
  BarrierSurface surface{.body = body, .friction = held.friction};
  for (int k = 0; k < static_cast<int>(held.vertices.size()); ++k)
    surface.points.push_back(first + k);
  if (sphere) surface.thickness = sphere->radius;
  if (capsule) {
    surface.thickness = capsule->radius;
    surface.edges = surface.bare = {{first, first + 1}};
  }
  if (box) {
    for (std::array<int, 3> triangle : kBoxTriangles) {
      for (int& v : triangle) v += first;
      surface.triangles.push_back(triangle);
    }
    surface.edges = edges_of(surface.triangles);
  }
  model.surfaces.push_back(std::move(surface));
}

BarrierSurface surface_of(const PlacedBody& body, double thickness, bool self) {
  const ContactSurface all = contact_surface(body);
  BarrierSurface surface{.body = body.number,
                         .self = self,
                         .thickness = body.body->kind == BodyKind::solid ? 0.0 : thickness,
                         .points = all.vertices,
                         .triangles = all.triangles};
  surface.edges = edges_of(surface.triangles);
  for (std::array<int, 2> edge : body.body->edges) {
    for (int& v : edge) v += body.first;
    std::ranges::sort(edge);
    surface.bare.push_back(edge);
  }
  surface.edges.insert(surface.edges.end(), surface.bare.begin(), surface.bare.end());
  std::ranges::sort(surface.edges);
  return surface;
}

double default_reach(const std::vector<const PlacedBody*>& bodies, const BarrierModel& model) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const PlacedBody* body : bodies) {
    smallest = std::min(smallest, body->body->box().diagonal().norm());
  }
  double shortest = std::numeric_limits<double>::infinity();
  for (const BarrierSurface& surface : model.surfaces) {
    if (surface.body < 0) continue;
    for (const auto& [a, b] : surface.edges) {
      shortest =
          std::min(shortest, (model.rest.segment<3>(3 * a) - model.rest.segment<3>(3 * b)).norm());
    }
  }
  return std::min(kReachOfBody * smallest, kReachOfEdge * shortest);
}

// What a contact may have to hold: the energy of motion, what gravity can set free within the scene, and what bodies
// have stored. A scene at rest that only its scripts move has the energy of a slow motion.
double energy_of(const BarrierScene& scene, const System& system) {
  constexpr double kSlow = 0.1;  // sizes of the scene a second
  Eigen::AlignedBox3d box;
  double kinetic = 0;
  double mass = 0;
  for (const PlacedBody& body : scene.bodies) {
    for (int i = 0; i < body.count(); ++i) {
      const double m = body.body->masses[static_cast<std::size_t>(i)];
      const auto at = static_cast<Eigen::Index>(3 * (body.first + i));
      kinetic += 0.5 * m * scene.start.v.segment<3>(at).squaredNorm();
      mass += m;
      box.extend(Vec3(scene.start.x.segment<3>(at)));
    }
  }
  const double size = box.diagonal().norm();
  for (const HeldObstacle& held : scene.obstacles) {
    if (std::holds_alternative<PlaneShape>(held.obstacle.shape)) {
      // (A plane is as far away as the bodies fall.)
      const Vec3 foot = box.center() + box.center() - held.vertices[0];
      if ((foot - box.center()).norm() < 10 * size) box.extend(held.vertices[0]);
      continue;
    }
    for (const Vec3& v : held.vertices) box.extend(v);
  }
  const double drop = box.sizes().dot(scene.gravity.cwiseAbs());
  double stored = 0;
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  for (const auto& energy : system.energies()) {
    if (energy->kind() != EnergyKind::elastic) continue;
    stored += std::abs(energy->evaluate({.x0 = scene.start.x.data(), .nodes = here}));
  }
  const double least = 0.5 * mass * kSlow * kSlow * size * size;
  return std::max(kinetic + mass * drop + stored, least);
}

// Refuses bodies that go through each other, or are nearer to each other than their thickness.
void check_start(const TableReader& reader, const BarrierScene& scene, const BarrierModel& model,
                 const BarrierContact& contact) {
  const auto name_of = [&](int vertex) -> std::string {
    for (const PlacedBody& body : scene.bodies) {
      if (vertex >= body.first && vertex < body.first + body.count()) return body.name();
    }
    for (const HeldObstacle& held : scene.obstacles) {
      const int count = static_cast<int>(held.vertices.size());
      if (vertex >= held.first && vertex < held.first + count) return held.name;
    }
    return "?";
  };
  const auto refuse = [&](int one, int other, const Vec3& at, std::string_view how) {
    const std::string a = name_of(one);
    const std::string b = name_of(other);
    reader.fail("bodies",
                a == b ? fmt::format("'{}' {} itself at the start, at ({:.4g}, {:.4g}, {:.4g}): "
                                     "contact keeps apart what is apart, so that it must not "
                                     "begin like this",
                                     a, how, at[0], at[1], at[2])
                       : fmt::format("'{}' {} '{}' at the start, at ({:.4g}, {:.4g}, {:.4g}): move "
                                     "them apart, exclude = [[\"{}\", \"{}\"]] if they may stay "
                                     "so, or take kind = \"penalty\"",
                                     a, how, b, at[0], at[1], at[2], a, b));
  };
  const Vector& x = scene.start.x;
  for (const auto& candidate : contact.pairs(nullptr).covering(x.data(), nullptr)) {
    if (candidate.gap > 0) continue;
    const auto& vertex = candidate.pair.vertex;
    refuse(vertex[0], vertex[3], x.segment<3>(3 * vertex[0]), "reaches into");
  }
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> of_vertex(static_cast<std::size_t>(x.size() / 3), -1);
  for (std::size_t k = 0; k < model.surfaces.size(); ++k) {
    const BarrierSurface& surface = model.surfaces[k];
    for (const int v : surface.points) of_vertex[static_cast<std::size_t>(v)] = static_cast<int>(k);
    edges.insert(edges.end(), surface.bare.begin(), surface.bare.end());
    triangles.insert(triangles.end(), surface.triangles.begin(), surface.triangles.end());
  }
  const Points points(x.data(), static_cast<std::size_t>(x.size()));
  for (const Intersection& found : find_intersections(points, edges, triangles)) {
    const int one = of_vertex[static_cast<std::size_t>(found.edge[0])];
    const int other = of_vertex[static_cast<std::size_t>(found.triangle[0])];
    const BarrierSurface& first = model.surfaces[static_cast<std::size_t>(one)];
    const BarrierSurface& second = model.surfaces[static_cast<std::size_t>(other)];
    if (one == other && !first.self) continue;
    const std::array<int, 2> both = {std::min(first.body, second.body),
                                     std::max(first.body, second.body)};
    if (std::ranges::find(model.excluded, both) != model.excluded.end()) continue;
    const auto at = place_of(found, points);
    refuse(found.edge[0], found.triangle[0], Vec3(at[0], at[1], at[2]), "goes through");
  }
}

struct BarrierSettings {
  std::vector<const PlacedBody*> bodies;
  bool between = true;  // each other, not only obstacles
  bool self = false;    // solids
  double thickness = 0;
  double friction = 0;
  double creep = 0.01;
  std::optional<double> reach;
  std::vector<std::array<std::string, 2>> excluded;
};

// Numbers of bodies and obstacles that the scene lets through each other.
std::vector<std::array<int, 2>> excluded_of(const TableReader& reader,
                                            const BarrierSettings& settings,
                                            const BarrierScene& scene) {
  std::vector<std::string> names;
  for (const PlacedBody& body : scene.bodies) names.push_back(body.name());
  for (const HeldObstacle& held : scene.obstacles) names.push_back(held.name);
  std::vector<std::array<int, 2>> excluded;
  for (const auto& pair : settings.excluded) {
    std::array<int, 2> both{};
    for (std::size_t k = 0; k < 2; ++k) {
      const auto found = std::ranges::find(names, pair[k]);
      if (found == names.end()) {
        reader.fail("exclude", fmt::format("there is no body or obstacle '{}'; there are {}",
                                           pair[k], fmt::join(names, ", ")));
      }
      both[k] = static_cast<int>(found - names.begin());
    }
    std::ranges::sort(both);
    excluded.push_back(both);
  }
  return excluded;
}

// Contact must not push before anything has moved: where bodies begin nearer to each other than it reaches by default,
// it reaches less far, but no less than this share.
constexpr double kLeastReach = 0.2;

std::unique_ptr<BarrierContact> contact_of(const TableReader& reader,
                                           const BarrierSettings& settings,
                                           const BarrierScene& scene, BarrierModel& model) {
  auto contact = std::make_unique<BarrierContact>(model, scene.start.x);
  check_start(reader, scene, model, *contact);
  if (settings.reach) return contact;
  double nearest = model.reach;
  for (const auto& candidate : contact->pairs(nullptr).covering(scene.start.x.data(), nullptr)) {
    if (candidate.pair.reach == model.reach) nearest = std::min(nearest, candidate.gap);
  }
  if (nearest == model.reach) return contact;
  model.reach = std::max(nearest, kLeastReach * model.reach);
  return std::make_unique<BarrierContact>(model, scene.start.x);
}

void add(const TableReader& reader, const BarrierSettings& settings, const BarrierScene& scene,
         BarrierModel& model, System& system, std::vector<std::string>& remarks) {
  auto contact = contact_of(reader, settings, scene, model);
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  const double stored = contact->evaluate({.x0 = scene.start.x.data(), .nodes = here});
  if (stored > 0) {
    remarks.push_back(fmt::format(
        "bodies begin nearer to each other than contact reaches, which is {:.3g}: it pushes them "
        "apart at the start, with an energy of {:.3g}; leave a gap, or take a smaller 'reach'",
        model.reach, stored));
  }
  const BarrierContact& added = *contact;
  system.add(std::unique_ptr<Energy>(std::move(contact)));
  if (added.strongest_friction() > 0) {
    system.add(std::make_unique<Friction>(added, added.strongest_friction(), settings.creep));
  }
}

// Bodies with each other, and bodies with obstacles: only the first keeps momenta.
std::vector<std::string> add(const TableReader& reader, const BarrierSettings& settings,
                             const BarrierScene& scene, System& system) {
  std::vector<std::string> remarks;
  BarrierModel model;
  model.rest = scene.rest;
  model.masses.assign(system.vertex_masses().begin(), system.vertex_masses().end());
  for (int v = 0; v < system.vertices(); ++v) {
    model.held.push_back(system.embedding().fixed(v) ? 1 : 0);
  }
  model.body_of_vertex.assign(model.held.size(), -1);
  for (const PlacedBody& body : scene.bodies) {
    std::fill_n(model.body_of_vertex.begin() + body.first, body.count(), body.number);
  }
  bool self = false;
  for (const PlacedBody* body : settings.bodies) {
    const bool thin = body->body->kind != BodyKind::solid;
    model.surfaces.push_back(surface_of(*body, settings.thickness, thin || settings.self));
    self = self || model.surfaces.back().self;
  }
  model.friction = settings.friction;
  model.reach = settings.reach.value_or(default_reach(settings.bodies, model));
  model.energy = energy_of(scene, system);
  model.excluded = excluded_of(reader, settings, scene);
  if (settings.between && (self || model.surfaces.size() > 1)) {
    add(reader, settings, scene, model, system, remarks);
  }
  if (scene.obstacles.empty()) return remarks;
  model.with_obstacles = true;
  for (BarrierSurface& one : model.surfaces) {
    one.self = false;
    for (const BarrierSurface& other : model.surfaces) {
      if (one.body < other.body) model.excluded.push_back({one.body, other.body});
    }
  }
  int number = static_cast<int>(scene.bodies.size());
  for (const HeldObstacle& held : scene.obstacles) add_held(held, number++, model);
  add(reader, settings, scene, model, system, remarks);
  return remarks;
}

}  // namespace

bool is_barrier(TableReader& reader) {
  if (reader.has("kind") && reader.is_text("kind")) {
    TableReader copy = reader;
    const std::string kind = copy.text("kind");
    if (kind == "penalty") return false;
    if (kind == "barrier") return true;
  }
  return std::ranges::none_of(std::array{"stiffness", "stiffness_per_area", "depth", "model"},
                              [&](const char* key) { return reader.has(key); });
}

HeldObstacle held_obstacle(TableReader& reader, const Obstacle& obstacle, int number) {
  HeldObstacle held{
      .obstacle = obstacle,
      .name = obstacle.name.empty() ? fmt::format("obstacle {}", number) : obstacle.name,
      .vertices = vertices_of(obstacle)};
  const bool flat = std::holds_alternative<PlaneShape>(obstacle.shape) ||
                    (std::holds_alternative<BoxShape>(obstacle.shape) && obstacle.inside_out);
  if (flat && turns(obstacle.motion)) {
    reader.fail("motion",
                "planes, and boxes with bodies inside, can move but not turn where nothing may "
                "pass through them; give the obstacle a 'stiffness', or take a box");
  }
  if (reader.has("friction")) held.friction = reader.not_negative("friction", 0.0);
  return held;
}

void hold(const HeldObstacle& held, const Vector& x, System& system) {
  std::vector<int> vertices(held.vertices.size());
  std::iota(vertices.begin(), vertices.end(), held.first);
  if (held.obstacle.motion.moves()) {
    system.add(std::make_unique<ScriptedVertices>(std::move(vertices), x, held.obstacle.motion));
    return;
  }
  for (const int v : vertices) system.fix(v);
}

std::vector<std::string> add_barrier(TableReader& reader, const BarrierScene& scene,
                                     System& system) {
  reader.expect({"kind", "bodies", "self", "thickness", "reach", "friction", "creep", "exclude"});
  if (reader.has("kind")) (void)reader.choice("kind", {"barrier", "penalty"}, "barrier");
  BarrierSettings settings;
  settings.bodies = named_bodies(reader, scene.bodies);
  settings.self = reader.flag("self", false);
  settings.thickness = 0.5 * reader.not_negative("thickness", 0.0);
  if (reader.has("reach")) settings.reach = reader.positive("reach");
  settings.friction = reader.not_negative("friction", 0.0);
  settings.creep = reader.positive("creep", settings.creep);
  if (reader.has("exclude")) settings.excluded = reader.text_pairs("exclude");
  std::vector<std::string> remarks = add(reader, settings, scene, system);
  reader.finish();
  return remarks;
}

std::vector<std::string> add_barrier(const BarrierScene& scene, bool between, System& system,
                                     const TableReader& root) {
  BarrierSettings settings{.between = between};
  for (const PlacedBody& body : scene.bodies) settings.bodies.push_back(&body);
  return add(root, settings, scene, system);
}

}  // namespace lilyan
