#include "app/scene/contact/contact_tables.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "app/files/surface.hpp"
#include "app/scene/contact/contact_stiffness.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/broad_phase.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/contact/overlap.hpp"
#include "lilyan/contact/repulsion_springs.hpp"

namespace lilyan {
namespace {

// Sliding speed below which friction turns into creep, in the scene's units.
constexpr double kCreep = 0.01;

struct SceneFriction {
  double mu = 0;
  double creep = kCreep;
};

SceneFriction read_friction(TableReader& reader) {
  SceneFriction friction;
  friction.mu = reader.not_negative("friction", 0.0);
  if (friction.mu > 0 || reader.has("creep")) friction.creep = reader.positive("creep", kCreep);
  return friction;
}

ObstacleShape read_obstacle_shape(TableReader& reader) {
  const std::string kind = reader.choice("kind", {"plane", "sphere", "box", "capsule"});
  if (kind == "plane") {
    const Vec3 normal = reader.direction("normal", Vec3(Vec3::UnitY()));
    return PlaneShape{.point = reader.vector("point", Vec3::Zero()),
                      .normal = normal.stableNormalized()};
  }
  if (kind == "sphere") {
    return SphereShape{.center = reader.vector("center"), .radius = reader.positive("radius")};
  }
  if (kind == "box") {
    const Vec3 size = reader.size("size");
    return BoxShape{.center = reader.vector("center"), .half = 0.5 * size};
  }
  return CapsuleShape{.from = reader.vector("from"),
                      .to = reader.vector("to"),
                      .radius = reader.positive("radius")};
}

Vec3 center_of(const ObstacleShape& shape) {
  struct Center {
    Vec3 operator()(const PlaneShape& s) const { return s.point; }
    Vec3 operator()(const SphereShape& s) const { return s.center; }
    Vec3 operator()(const BoxShape& s) const { return s.center; }
    Vec3 operator()(const CapsuleShape& s) const { return 0.5 * (s.from + s.to); }
  };
  return std::visit(Center{}, shape);
}

template <class Contact>
void add_with_friction(std::unique_ptr<Contact> contact, const SceneFriction& friction,
                       System& system) {
  const ContactEnergy& touched = *contact;
  system.add(std::unique_ptr<Energy>(std::move(contact)));
  if (friction.mu > 0) {
    system.add(std::make_unique<Friction>(touched, friction.mu, friction.creep));
  }
}

// How deep one body is within another. Vertices and the middles of tets and of outer faces are looked at, and
// bodies that only touch do not overlap, whatever rounding says.
Overlap overlap(const PlacedBody& one, const PlacedBody& other, const Vector& x) {
  std::vector<Vec3> points;
  Box extent;
  for (int i = 0; i < one.count(); ++i) {
    extent.extend(points.emplace_back(x.segment<3>(3 * (one.first + i))));
  }
  for (const auto& tet : one.body->tets) {
    Vec3 middle = Vec3::Zero();
    for (const int v : tet) middle += 0.25 * points[static_cast<std::size_t>(v)];
    points.push_back(middle);
  }
  for (const BoundaryFace& face : boundary_faces(one.body->tets)) {
    Vec3 middle = Vec3::Zero();
    for (const int v : face.corners) middle += points[static_cast<std::size_t>(v)] / 3;
    points.push_back(middle);
  }
  std::vector<std::array<int, 3>> faces;
  for (const BoundaryFace& face : boundary_faces(other.body->tets)) faces.push_back(face.corners);
  const Overlap worst = deepest_within(points, other.body->tets, faces,
                                       x.segment(3 * other.first, 3 * other.count()));
  return worst.depth <= 1e-9 * extent.diagonal().norm() ? Overlap{} : worst;
}

bool may_be_moved(const Body& body) {
  const bool fixed = std::ranges::any_of(body.fixed, [](char f) { return f != 0; });
  return !fixed && body.anchors.empty() && body.scripts.empty();
}

double mass_of(const Body& body) {
  return std::accumulate(body.masses.begin(), body.masses.end(), 0.0);
}

Vec3 center_of_mass(const PlacedBody& body, const Vector& x) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < body.count(); ++i) {
    sum += body.body->masses[static_cast<std::size_t>(i)] * x.segment<3>(3 * (body.first + i));
  }
  return sum / mass_of(*body.body);
}

void shift(const PlacedBody& body, const Vec3& by, Vector& x) {
  for (int i = 0; i < body.count(); ++i) x.segment<3>(3 * (body.first + i)) += by;
}

// Moves two bodies apart along the line between their centres of mass, the lighter one more. False when
// neither may be moved.
bool push_apart(const PlacedBody& one, const PlacedBody& other, double depth, Vector& x) {
  const bool first = may_be_moved(*one.body);
  const bool second = may_be_moved(*other.body);
  if (!first && !second) return false;
  Vec3 away = center_of_mass(one, x) - center_of_mass(other, x);
  if (!(away.norm() > 1e-9 * depth)) away = Vec3::UnitX();
  away = (1.01 * depth) * away.normalized();
  const double m1 = mass_of(*one.body);
  const double m2 = mass_of(*other.body);
  const double share = !second ? 1 : !first ? 0 : m2 / (m1 + m2);
  shift(one, share * away, x);
  shift(other, (share - 1) * away, x);
  return true;
}

// Contact pushes surfaces apart and knows nothing of insides: bodies that begin within each other would stay
// so. They are refused, or pushed apart.
void resolve_overlap(TableReader& reader, const std::vector<const PlacedBody*>& bodies,
                     bool separate, Vector& x) {
  constexpr int kMostPushes = 1000;
  int pushes = 0;
  for (bool again = true; again;) {
    again = false;
    for (const PlacedBody* one : bodies) {
      for (const PlacedBody* other : bodies) {
        if (one == other) continue;
        const Overlap worst = overlap(*one, *other, x);
        if (worst.depth == 0) continue;
        again = separate && ++pushes <= kMostPushes && push_apart(*one, *other, worst.depth, x);
        if (again) continue;
        reader.fail(
            "bodies",
            fmt::format(
                "bodies '{}' and '{}' overlap at the start: by {:.3g} at ({:.4g}, {:.4g}, "
                "{:.4g}); {}",
                one->name(), other->name(), worst.depth, worst.at[0], worst.at[1], worst.at[2],
                separate ? "they could not be pushed apart"
                         : "move them apart, or set overlap = \"separate\" to have that done, or "
                           "\"allow\" if they may stay so"));
      }
    }
  }
}

// The shape and motion of an obstacle, without how it pushes.
Obstacle read_obstacle(TableReader& reader) {
  Obstacle obstacle{.shape = read_obstacle_shape(reader)};
  const bool plane = std::holds_alternative<PlaneShape>(obstacle.shape);
  if (plane && reader.has("inside")) {
    reader.fail("inside", "a plane has no inside; turn its 'normal' round");
  }
  if (reader.has("name")) obstacle.name = reader.text("name", "");
  if (!plane) obstacle.inside_out = reader.flag("inside", false);
  if (reader.has("motion")) {
    TableReader motion = reader.table("motion");
    obstacle.motion = read_motion(motion, center_of(obstacle.shape));
    motion.finish();
  }
  return obstacle;
}

TouchedObstacle add_obstacle(TableReader& reader, const std::vector<PlacedBody>& bodies,
                             const Vec3& gravity, System& system) {
  reader.expect({"name", "kind", "point", "normal", "center", "radius", "size", "from", "to",
                 "inside", "stiffness", "stiffness_per_area", "depth", "thickness", "model",
                 "friction", "creep", "bodies", "motion"});
  TouchedObstacle touched{.obstacle = read_obstacle(reader)};
  const SceneStiffness stiffness(reader, gravity);
  touched.touch.thickness = reader.not_negative("thickness", 0.0);
  touched.touch.depth = stiffness.depth();
  const std::string model = reader.choice("model", {"penalty", "repulsion-springs"}, "penalty");
  const SceneFriction friction = read_friction(reader);
  std::vector<double> k;
  for (const PlacedBody* body : named_bodies(reader, bodies)) {
    stiffness.add(*body, touched.obstacle, touched.touch.thickness, touched.touch.vertices, k);
  }
  if (model == "repulsion-springs") {
    if (!bodies.empty() && bodies.front().body->ranks) {
      reader.fail("model", "a run on several ranks cannot have repulsion springs; use \"penalty\"");
    }
    if (friction.mu > 0) {
      reader.fail("friction", "repulsion springs have no friction; use model = \"penalty\"");
    }
    if (stiffness.kind() != SceneStiffness::Kind::per_vertex) {
      reader.fail("model", "repulsion springs take 'stiffness', which is that of each vertex");
    }
    system.add(std::make_unique<RepulsionSprings>(touched.obstacle, touched.touch.vertices,
                                                  stiffness.value(), touched.touch.thickness));
  } else {
    add_with_friction(
        std::make_unique<ObstacleContact>(touched.obstacle, touched.touch.vertices,
                                          ContactStiffness(std::move(k)), touched.touch.thickness),
        friction, system);
  }
  reader.finish();
  return touched;
}

}  // namespace

std::vector<const PlacedBody*> named_bodies(TableReader& reader,
                                            const std::vector<PlacedBody>& bodies) {
  std::vector<const PlacedBody*> chosen;
  if (!reader.has("bodies")) {
    for (const PlacedBody& body : bodies) chosen.push_back(&body);
    return chosen;
  }
  const std::vector<std::string> given = reader.texts("bodies");
  if (given.empty())
    reader.fail("bodies", "this list is empty; name a body, or leave it out for all");
  for (const std::string& name : given) {
    const auto body = std::ranges::find(bodies, name, &PlacedBody::name);
    if (body == bodies.end()) {
      std::vector<std::string> names;
      for (const PlacedBody& b : bodies) names.push_back(b.name());
      reader.fail("bodies", fmt::format("there is no body '{}'; there {} {}", name,
                                        names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
    }
    if (std::ranges::find(chosen, &*body) != chosen.end()) {
      reader.fail("bodies", fmt::format("body '{}' is named twice", name));
    }
    chosen.push_back(&*body);
  }
  return chosen;
}

// The faces that only one tet has, the triangles of a cloth, the vertices of a rod.
ContactSurface contact_surface(const PlacedBody& body) {
  ContactSurface surface;
  surface.body = body.number;
  std::set<int> vertices;
  const auto add = [&](std::array<int, 3> face) {
    for (int& v : face) vertices.insert(v += body.first);
    surface.triangles.push_back(face);
  };
  for (const BoundaryFace& face : boundary_faces(body.body->tets)) add(face.corners);
  for (const auto& triangle : body.body->triangles) add(triangle);
  for (const auto& edge : body.body->edges) {
    for (const int v : edge) vertices.insert(body.first + v);
  }
  surface.vertices.assign(vertices.begin(), vertices.end());
  return surface;
}

std::vector<Obstacle> obstacles_in(const std::filesystem::path& file) {
  SceneDocument document(read_scene_text(file), {});
  TableReader root = document.root();
  std::vector<Obstacle> obstacles;
  for (TableReader& reader : root.tables("obstacle")) obstacles.push_back(read_obstacle(reader));
  return obstacles;
}

std::vector<HeldObstacle> read_held_obstacles(std::vector<TableReader>& readers, int first) {
  std::vector<HeldObstacle> all;
  int number = 0;
  for (TableReader& reader : readers) {
    ++number;
    if (!is_barrier(reader)) continue;
    reader.recover([&] {
      reader.expect({"name", "kind", "point", "normal", "center", "radius", "size", "from", "to",
                     "inside", "friction", "motion"});
      HeldObstacle held = held_obstacle(reader, read_obstacle(reader), number);
      reader.finish({"stiffness", "stiffness_per_area", "depth", "model"});
      held.first = first;
      first += static_cast<int>(held.vertices.size());
      all.push_back(std::move(held));
    });
  }
  return all;
}

std::vector<TouchedObstacle> read_obstacles(std::vector<TableReader> readers,
                                            const std::vector<PlacedBody>& bodies,
                                            const std::vector<HeldObstacle>& held,
                                            const Vec3& gravity, System& system) {
  std::vector<TouchedObstacle> obstacles;
  std::size_t next = 0;
  for (TableReader& reader : readers) {
    if (is_barrier(reader)) {
      if (next < held.size()) obstacles.push_back({.obstacle = held[next++].obstacle});
      continue;
    }
    reader.recover([&] { obstacles.push_back(add_obstacle(reader, bodies, gravity, system)); });
  }
  return obstacles;
}

std::vector<TouchingBodies> read_contacts(std::vector<TableReader> readers,
                                          const std::vector<PlacedBody>& bodies,
                                          const Vec3& gravity, Vector& x, System& system) {
  std::vector<TouchingBodies> contacts;
  for (TableReader& reader : readers) {
    if (is_barrier(reader)) continue;
    if (reader.has("kind")) (void)reader.choice("kind", {"barrier", "penalty"});
    reader.expect({"kind", "bodies", "stiffness", "stiffness_per_area", "depth", "thickness",
                   "friction", "creep", "overlap"});
    TouchingBodies touching;
    const std::vector<const PlacedBody*> chosen = named_bodies(reader, bodies);
    for (const PlacedBody* body : chosen) touching.surfaces.push_back(contact_surface(*body));
    if (chosen.size() < 2) {
      reader.fail("bodies", "a contact needs two bodies or more");
    }
    const SceneStiffness stiffness(reader, gravity);
    touching.thickness = reader.positive("thickness");
    touching.depth = stiffness.depth();
    const double thickness = touching.thickness;
    if (stiffness.kind() == SceneStiffness::Kind::depth && !(stiffness.value() < thickness)) {
      reader.fail("depth",
                  "bodies that sink in deeper than the 'thickness' of the contact go "
                  "through each other; give a smaller depth");
    }
    for (const PlacedBody* body : chosen) {
      Eigen::AlignedBox3d extent;
      for (int i = 0; i < body->count(); ++i)
        extent.extend(Vec3(x.segment<3>(3 * (body->first + i))));
      if (thickness > extent.diagonal().norm()) {
        reader.fail("thickness", fmt::format("the thickness is more than the size of body '{}', "
                                             "which is {:.4g} across",
                                             body->name(), extent.diagonal().norm()));
      }
    }
    const std::string within = reader.choice("overlap", {"refuse", "separate", "allow"}, "refuse");
    if (within != "allow") resolve_overlap(reader, chosen, within == "separate", x);
    const SceneFriction friction = read_friction(reader);
    std::vector<double> k;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      stiffness.add_of(*chosen[i], touching.surfaces[i].vertices, k);
    }
    add_with_friction(std::make_unique<BodyContact>(touching.surfaces,
                                                    ContactStiffness(std::move(k)), thickness, x),
                      friction, system);
    contacts.push_back(std::move(touching));
    reader.finish();
  }
  return contacts;
}

}  // namespace lilyan
