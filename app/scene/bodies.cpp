#include "app/scene/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "app/files/surface.hpp"
#include "app/scene/body.hpp"
#include "app/scene/constraint.hpp"
#include "app/scene/contact.hpp"
#include "app/scene/damping.hpp"
#include "app/scene/spring.hpp"
#include "app/scene/thin_body.hpp"
#include "lilyan/physics/gravity.hpp"
#include "lilyan/physics/scripted.hpp"

namespace lilyan {
namespace {

// Adds a body's elements, whose vertices begin at `first`, to those of the scene.
template <class Elements>
void append(const Elements& elements, int first, int body, Elements& all, std::vector<int>& owner) {
  for (auto element : elements) {
    for (int& vertex : element) vertex += first;
    all.push_back(element);
    owner.push_back(body);
  }
}

// Puts the bodies' vertices one after the other into one system.
void assemble_system(const std::vector<Body>& bodies, const Vec3& gravity, Scene& scene) {
  Eigen::Index dofs = 0;
  for (const Body& b : bodies) dofs += b.rest.size();
  Vector rest(dofs);
  scene.initial.x.resize(dofs);
  scene.initial.v.resize(dofs);
  std::vector<double> masses;
  std::vector<int> fixed;
  std::vector<std::size_t> first_tet;
  for (const Body& b : bodies) {
    const auto first = static_cast<int>(masses.size());
    rest.segment(3 * first, b.rest.size()) = b.rest;
    scene.initial.x.segment(3 * first, b.x.size()) = b.x;
    scene.initial.v.segment(3 * first, b.v.size()) = b.v;
    first_tet.push_back(scene.tets.size());
    const auto number = static_cast<int>(scene.body_names.size());
    append(b.tets, first, number, scene.tets, scene.tet_body);
    append(b.triangles, first, number, scene.triangles, scene.triangle_body);
    append(b.edges, first, number, scene.edges, scene.edge_body);
    scene.springs += b.thin.springs.size() + b.anchors.size();
    for (std::size_t i = 0; i < b.fixed.size(); ++i) {
      if (b.fixed[i]) fixed.push_back(first + static_cast<int>(i));
    }
    masses.insert(masses.end(), b.masses.begin(), b.masses.end());
    scene.body_names.push_back(b.name);
  }
  scene.system = std::make_unique<System>(masses);
  int first = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::size_t before = scene.system->energies().size();
    if (bodies[k].material) {
      const std::span<const std::array<int, 4>> all(scene.tets);
      const TetShape shape{rest, all.subspan(first_tet[k], bodies[k].tets.size())};
      scene.system->add(bodies[k].material->make(shape, bodies[k].material_parameters));
    }
    add_thin_energies(bodies[k], first, rest, *scene.system);
    const int count = static_cast<int>(bodies[k].masses.size());
    std::vector<const Energy*> elastic;
    for (const auto& energy : scene.system->energies().subspan(before)) {
      elastic.push_back(energy.get());
    }
    add_damping(bodies[k].damping, elastic, first, count, *scene.system);
    first += count;
  }
  if (!gravity.isZero(0)) scene.system->add(std::make_unique<Gravity>(gravity, masses));
  first = 0;
  for (const Body& b : bodies) {
    const int count = static_cast<int>(b.masses.size());
    for (const SceneForce& force : b.forces) add_force(force, first, count, *scene.system);
    for (const SceneScript& script : b.scripts) {
      std::vector<int> vertices = script.vertices;
      for (int& i : vertices) i += first;
      scene.system->add(
          std::make_unique<ScriptedVertices>(std::move(vertices), scene.initial.x, script.motion));
    }
    first += count;
  }
  for (const int i : fixed) {
    scene.system->fix(i);
    scene.initial.v.segment<3>(3 * i).setZero();
  }
}

// What of each body can be touched: the faces of tets that only one has, triangles of cloth, and of
// rods their vertices.
std::vector<ContactBody> contact_bodies(const std::vector<Body>& bodies) {
  std::vector<ContactBody> result;
  int first = 0;
  for (const Body& b : bodies) {
    ContactBody body{.name = b.name, .first = first, .count = static_cast<int>(b.masses.size())};
    body.surface.body = static_cast<int>(result.size());
    std::set<int> vertices;
    const auto add = [&](std::array<int, 3> face) {
      for (int& v : face) vertices.insert(v += first);
      body.surface.triangles.push_back(face);
    };
    for (const BoundaryFace& face : boundary_faces(b.tets)) add(face.corners);
    for (const auto& triangle : b.triangles) add(triangle);
    for (const auto& edge : b.edges) {
      for (const int v : edge) vertices.insert(first + v);
    }
    body.surface.vertices.assign(vertices.begin(), vertices.end());
    first += body.count;
    result.push_back(std::move(body));
  }
  return result;
}

}  // namespace

void read_bodies(TableReader& root, Scene& scene) {
  TableReader world = root.table("world");
  const Vec3 gravity = world.vector("gravity", Vec3::Zero());
  scene.gravity = gravity;
  std::vector<TableReader> constraints = root.tables("constraint");
  std::vector<TableReader> springs = root.tables("spring");
  std::vector<TableReader> obstacles = root.tables("obstacle");
  std::vector<TableReader> contacts = root.tables("contact");
  const bool asks = world.has("project_velocities") || !constraints.empty();
  const bool project = asks && world.flag("project_velocities", false);
  world.finish({"project_velocities"});
  std::vector<Body> bodies;
  for (const TableReader& reader : root.tables("body")) {
    Body body = read_body(reader, static_cast<int>(bodies.size()) + 1);
    if (std::ranges::find(bodies, body.name, &Body::name) != bodies.end()) {
      reader.fail("name", fmt::format("there already is a body '{}'; give this one another 'name'",
                                      body.name));
    }
    bodies.push_back(std::move(body));
  }
  root.finish();
  if (bodies.empty()) {
    root.fail("body", "the scene has nothing to simulate: add a [[body]] or a [system] table");
  }
  assemble_system(bodies, gravity, scene);
  scene.springs += springs.size();
  read_springs(std::move(springs), bodies, scene.initial.x, *scene.system);
  const std::vector<ContactBody> surfaces = contact_bodies(bodies);
  scene.obstacles = read_obstacles(std::move(obstacles), surfaces, *scene.system);
  read_contacts(std::move(contacts), surfaces, scene.initial.x, *scene.system);
  read_constraints(std::move(constraints), bodies, project, *scene.system, scene.initial);
}

}  // namespace lilyan
