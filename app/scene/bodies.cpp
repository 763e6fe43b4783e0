#include "app/scene/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "app/scene/body/body.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/settings.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/parallel/share.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {
namespace {

// Adds a body's elements to those of the scene, where the body's vertices begin at `first`.
template <class Elements>
void append(const Elements& elements, int first, int body, Elements& all, std::vector<int>& owner) {
  for (auto element : elements) {
    for (int& vertex : element) vertex += first;
    all.push_back(element);
    owner.push_back(body);
  }
}

// Puts the bodies' vertices and elements one after the other. Returns where each begins.
std::vector<PlacedBody> place_bodies(const std::vector<Body>& bodies, Bodies& all) {
  std::vector<PlacedBody> placed;
  int first = 0;
  for (const Body& b : bodies) {
    const auto number = static_cast<int>(placed.size());
    placed.push_back({&b, number, first});
    append(b.tets, first, number, all.tets, all.tet_body);
    append(b.triangles, first, number, all.triangles, all.triangle_body);
    if (!b.texture.empty()) {
      all.texture.resize(all.triangles.size() - b.triangles.size());
      all.texture.insert(all.texture.end(), b.texture.begin(), b.texture.end());
    } else if (!all.texture.empty()) {
      all.texture.resize(all.triangles.size());
    }
    append(b.edges, first, number, all.edges, all.edge_body);
    all.springs += b.springs.size() + b.anchors.size();
    all.names.push_back(b.name);
    first += placed.back().count();
  }
  return placed;
}

// The elastic energies of a body, and the anchors that hold it. `tets` are the body's in the system,
// `rest` is the rest shape of the whole system.
void add_energies(const PlacedBody& placed, std::span<const std::array<int, 4>> tets,
                  const Vector& rest, System& system) {
  const Body& body = *placed.body;
  if (body.material) {
    const auto make = [&](std::span<const std::array<int, 4>> some) {
      return body.material->make(TetShape{rest, some}, body.material_parameters);
    };
    const std::size_t counted = body.counted_tets();
    system.add(make(tets.first(counted)));
    if (body.ranks) system.add_uncounted(make(tets.subspan(counted)));
  }
  add_cloth_or_rod_energies(body, placed.first, rest, system);
  if (body.total(static_cast<double>(body.anchors.size())) > 0) {
    std::vector<Anchor> anchors = body.anchors;
    for (Anchor& a : anchors) a.vertex += placed.first;
    system.add(lilyan::anchors(anchors));
  }
}

void add_scripts(const PlacedBody& placed, const Vector& x, System& system) {
  for (const SceneScript& script : placed.body->scripts) {
    std::vector<int> vertices = script.vertices;
    for (int& i : vertices) i += placed.first;
    system.add(std::make_unique<ScriptedVertices>(std::move(vertices), x, script.motion));
  }
}

// Makes the system a part of the one that all processes share.
Sharing share_system(const std::vector<PlacedBody>& bodies, const Distribution& ranks,
                     System& system) {
  Sharing shared{.ranks = &ranks};
  SceneSize& size = shared.whole;
  for (const PlacedBody& b : bodies) {
    shared.parts.push_back(b.body->part);
    shared.first.push_back(b.first);
    size.vertices += b.body->part.whole;
    size.tets += b.body->part.whole_elements;
    for (int i = 0; i < b.body->owned(); ++i)
      size.fixed += system.embedding().fixed(b.first + i) ? 1 : 0;
  }
  size.fixed = static_cast<long>(ranks.sum(static_cast<double>(size.fixed)));
  system.set_share(ranks.make_share(shared.parts, shared.first));
  if (ranks.any(system.share()->owned().empty())) {
    long largest = 0;
    for (const BodyPart& part : shared.parts) largest = std::max(largest, part.whole);
    throw Error(
        fmt::format("{} ranks are too many for this scene: each needs a vertex of its own, and the "
                    "largest body has {}",
                    ranks.count(), largest));
  }
  return shared;
}

// One system of all bodies, with what each of them brings, and its initial state.
void assemble_system(const std::vector<PlacedBody>& bodies,
                     const std::vector<HeldObstacle>& obstacles, const Distribution* ranks,
                     ReadBodies& read) {
  std::vector<double> masses;
  for (const PlacedBody& b : bodies) {
    masses.insert(masses.end(), b.body->masses.begin(), b.body->masses.end());
  }
  // Held vertices have no mass of their own: none that could be seen beside that of bodies.
  constexpr double kNext = 1e-12;
  const double all = std::accumulate(masses.begin(), masses.end(), 0.0);
  for (const HeldObstacle& held : obstacles) {
    masses.insert(masses.end(), held.vertices.size(), kNext * all);
  }
  const auto dofs = static_cast<Eigen::Index>(3 * masses.size());
  Vector& rest = read.bodies.rest;
  rest.resize(dofs);
  read.initial.x.resize(dofs);
  read.initial.v.resize(dofs);
  for (const PlacedBody& b : bodies) {
    const Eigen::Index at = 3 * b.first;
    rest.segment(at, b.body->rest.size()) = b.body->rest;
    read.initial.x.segment(at, b.body->x.size()) = b.body->x;
    read.initial.v.segment(at, b.body->v.size()) = b.body->v;
  }
  for (const HeldObstacle& held : obstacles) {
    for (std::size_t k = 0; k < held.vertices.size(); ++k) {
      const auto at = 3 * (held.first + static_cast<Eigen::Index>(k));
      rest.segment<3>(at) = held.vertices[k];
      read.initial.x.segment<3>(at) = held.obstacle.motion.at(0).apply(held.vertices[k]);
      read.initial.v.segment<3>(at).setZero();
    }
  }
  read.system = std::make_unique<System>(masses);
  System& system = *read.system;
  std::size_t first_tet = 0;
  for (const PlacedBody& b : bodies) {
    const std::size_t before = system.energies().size();
    const std::span<const std::array<int, 4>> tets(read.bodies.tets);
    add_energies(b, tets.subspan(first_tet, b.body->tets.size()), rest, system);
    first_tet += b.body->tets.size();
    std::vector<const Energy*> elastic;
    for (const auto& energy : system.energies().subspan(before)) elastic.push_back(energy.get());
    add_damping(*b.body, elastic, b.first, system);
  }
  if (!read.bodies.gravity.isZero(0)) {
    // A copy's weight is counted by the process that owns it.
    for (const PlacedBody& b : bodies) {
      std::fill(masses.begin() + b.first + b.body->owned(), masses.begin() + b.first + b.count(),
                0.0);
    }
    for (const HeldObstacle& held : obstacles) {
      std::fill_n(masses.begin() + held.first, held.vertices.size(), 0.0);
    }
    system.add(std::make_unique<Gravity>(read.bodies.gravity, masses));
  }
  for (const PlacedBody& b : bodies) {
    for (const SceneForce& force : b.body->forces) add_force(force, b.first, b.count(), system);
    add_scripts(b, read.initial.x, system);
  }
  for (const PlacedBody& b : bodies) {
    for (int i = 0; i < b.count(); ++i) {
      if (!b.body->fixed[static_cast<std::size_t>(i)]) continue;
      system.fix(b.first + i);
      read.initial.v.segment<3>(3 * (b.first + i)).setZero();
    }
  }
  for (const HeldObstacle& held : obstacles) hold(held, rest, system);
  if (!ranks) return;
  read.bodies.springs =
      static_cast<std::size_t>(ranks->sum(static_cast<double>(read.bodies.springs)));
  read.shared = share_system(bodies, *ranks, system);
}

std::vector<Body> read_all_bodies(const std::vector<TableReader>& tables, const Distribution* ranks,
                                  std::vector<std::string>& remarks) {
  std::vector<Body> bodies;
  for (const TableReader& table : tables) {
    table.recover([&] {
      Body body = read_body(table, static_cast<int>(&table - tables.data()) + 1, ranks);
      if (std::ranges::find(bodies, body.name, &Body::name) != bodies.end()) {
        table.fail("name", fmt::format("there already is a body '{}'; give this one another 'name'",
                                       body.name));
      }
      std::ranges::move(remarks_on(body), std::back_inserter(remarks));
      bodies.push_back(std::move(body));
    });
  }
  return bodies;
}

// What holds bodies, or acts between them.
struct Encounters {
  std::vector<TableReader> constraints, springs, obstacles, contacts;
  bool project = false;  // the velocities of constraints
};

Encounters find_encounters(TableReader& root, const Distribution* ranks) {
  Encounters found{.constraints = root.tables("constraint"),
                   .springs = root.tables("spring"),
                   .obstacles = root.tables("obstacle"),
                   .contacts = root.tables("contact")};
  if (!ranks) return found;
  for (const auto& [key, tables] :
       {std::pair{"constraint", &found.constraints}, std::pair{"spring", &found.springs},
        std::pair{"contact", &found.contacts}}) {
    if (tables->empty()) continue;
    root.fail(key, fmt::format("a run on several ranks cannot have a [[{}]]: run it on one", key));
  }
  return found;
}

void read_encounters(TableReader& root, Encounters tables, const std::vector<PlacedBody>& placed,
                     const std::vector<HeldObstacle>& held, const SceneSettings& settings,
                     ReadBodies& read) {
  Bodies& all = read.bodies;
  const auto remark = [&](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(read.remarks));
  };
  all.springs += tables.springs.size();
  root.recover([&] { read_springs(std::move(tables.springs), placed, read); });
  for (auto& [obstacle, touch] :
       read_obstacles(std::move(tables.obstacles), placed, held, all.gravity, *read.system)) {
    all.obstacles.push_back(std::move(obstacle));
    all.touches.push_back(std::move(touch));
  }
  const BarrierScene barriers{placed, held, all.gravity, all.rest, read.initial};
  root.recover([&] {
    bool any = false;
    for (TableReader& reader : tables.contacts) {
      if (!is_barrier(reader)) continue;
      remark(add_barrier(reader, barriers, *read.system));
      any = true;
    }
    if (!any && !held.empty()) {
      remark(add_barrier(barriers, tables.contacts.empty(), *read.system, root));
    }
  });
  root.recover([&] {
    all.contacts = read_contacts(std::move(tables.contacts), placed, all.gravity, read.initial.x,
                                 *read.system);
  });
  remark(remarks_on_speed(all.contacts, placed, read.initial, settings.step));
  root.recover(
      [&] { read_constraints(std::move(tables.constraints), placed, tables.project, read); });
  remark(remarks_on_sound(placed, {.system = *read.system,
                                   .rest = all.rest,
                                   .x = read.initial.x,
                                   .scheme = settings.scheme,
                                   .step = settings.step,
                                   .shared = read.shared.has_value()}));
}

// What the view draws of anchors and fixed points.
void add_links(const std::vector<PlacedBody>& placed, ReadBodies& read) {
  std::vector<Link>& links = read.bodies.links;
  for (const PlacedBody& b : placed) {
    for (const Anchor& a : b.body->anchors) {
      links.push_back(
          {.kind = Link::Kind::anchor, .ends = {{{b.first + a.vertex}, {.point = a.point}}}});
    }
    std::ranges::move(pivots(*read.system, read.initial.x, b.first, b.count()),
                      std::back_inserter(links));
  }
}

}  // namespace

Bodies::Bodies() = default;
Bodies::~Bodies() = default;
Bodies::Bodies(Bodies&&) noexcept = default;
Bodies& Bodies::operator=(Bodies&&) noexcept = default;

ReadBodies read_bodies(TableReader& root, const SceneSettings& settings,
                       const Distribution* ranks) {
  ReadBodies read;
  Bodies& all = read.bodies;
  TableReader world = root.table("world");
  all.gravity = world.vector("gravity", Vec3::Zero());
  Encounters encounters = find_encounters(root, ranks);
  const bool asks = world.has("project_velocities") || !encounters.constraints.empty();
  encounters.project = asks && world.flag("project_velocities", false);
  world.finish({"project_velocities"});
  const std::size_t faults = root.faults();
  const std::vector<TableReader> tables = root.tables("body");
  const std::vector<Body> bodies = read_all_bodies(tables, ranks, read.remarks);
  root.finish();
  if (tables.empty()) {
    root.fail("body", "the scene has nothing to simulate: add a [[body]] or a [system] table");
  }
  const std::vector<PlacedBody> placed = place_bodies(bodies, all);
  if (root.faults() > faults) {
    // The rest depends on where the vertices are, which is not as it was meant.
    std::vector<TableReader>& obstacles = encounters.obstacles;
    if (bodies.size() < tables.size()) {
      std::erase_if(obstacles, [](const TableReader& o) { return o.has("bodies"); });
    }
    System unused(std::vector<double>{});
    (void)read_held_obstacles(obstacles, 0);
    (void)read_obstacles(std::move(obstacles), placed, {}, all.gravity, unused);
    return read;
  }
  const Parameters& material = bodies[0].material_parameters;
  if (material.has("mu") && material.has("lambda")) {
    all.material = Lame{material.number("mu"), material.number("lambda")};
  }
  all.damping = RayleighDamping{bodies[0].damping.mass, bodies[0].damping.stiffness};

  const int vertices = placed.back().first + placed.back().count();
  const std::vector<HeldObstacle> held = read_held_obstacles(encounters.obstacles, vertices);
  if (ranks && !held.empty()) {
    root.fail("obstacle",
              "a run on several ranks needs obstacles with a 'stiffness': run it on one");
  }
  try {
    assemble_system(placed, held, ranks, read);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    root.fail("body", error.what());
  }
  read_encounters(root, std::move(encounters), placed, held, settings, read);
  add_links(placed, read);
  return read;
}

}  // namespace lilyan
