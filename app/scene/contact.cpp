// Contact of bodies with obstacles, [[obstacle]], and with each other, [[contact]].
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "app/files/surface.hpp"
#include "app/scene/scene_tables.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
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

// The bodies named under `bodies`, all by default.
std::vector<const PlacedBody*> touching_bodies(TableReader& reader,
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

template <class Contact>
void add_with_friction(std::unique_ptr<Contact> contact, const SceneFriction& friction,
                       System& system) {
  const ContactEnergy& touched = *contact;
  system.add(std::unique_ptr<Energy>(std::move(contact)));
  if (friction.mu > 0) {
    system.add(std::make_unique<Friction>(touched, friction.mu, friction.creep));
  }
}

// The part of a body that can be touched: the faces that only one tet has, the triangles of a cloth,
// the vertices of a rod.
ContactSurface surface_of(const PlacedBody& body) {
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

// The shape and motion of an obstacle, without how it pushes.
Obstacle read_obstacle(TableReader& reader) {
  Obstacle obstacle{.shape = read_obstacle_shape(reader)};
  const bool plane = std::holds_alternative<PlaneShape>(obstacle.shape);
  if (plane && reader.has("inside")) {
    reader.fail("inside", "a plane has no inside; turn its 'normal' round");
  }
  if (!plane) obstacle.inside_out = reader.flag("inside", false);
  if (reader.has("motion")) {
    TableReader motion = reader.table("motion");
    obstacle.motion = read_motion(motion, center_of(obstacle.shape));
    motion.finish();
  }
  return obstacle;
}

}  // namespace

std::vector<Obstacle> obstacles_in(const std::filesystem::path& file) {
  SceneDocument document(file, {});
  TableReader root = document.root();
  std::vector<Obstacle> obstacles;
  for (TableReader& reader : root.tables("obstacle")) obstacles.push_back(read_obstacle(reader));
  return obstacles;
}

std::vector<Obstacle> read_obstacles(std::vector<TableReader> readers,
                                     const std::vector<PlacedBody>& bodies, System& system) {
  std::vector<Obstacle> obstacles;
  for (TableReader& reader : readers) {
    reader.expect({"name", "kind", "point", "normal", "center", "radius", "size", "from", "to",
                   "inside", "stiffness", "thickness", "model", "friction", "creep", "bodies",
                   "motion"});
    reader.text("name", "obstacle");
    Obstacle obstacle = read_obstacle(reader);
    const double stiffness = reader.positive("stiffness");
    const double thickness = reader.not_negative("thickness", 0.0);
    const std::string model = reader.choice("model", {"penalty", "repulsion-springs"}, "penalty");
    const SceneFriction friction = read_friction(reader);
    std::vector<int> vertices;
    for (const PlacedBody* body : touching_bodies(reader, bodies)) {
      for (int i = 0; i < body->count(); ++i) vertices.push_back(body->first + i);
    }
    obstacles.push_back(obstacle);
    if (model == "repulsion-springs") {
      if (friction.mu > 0) {
        reader.fail("friction", "repulsion springs have no friction; use model = \"penalty\"");
      }
      system.add(std::make_unique<RepulsionSprings>(std::move(obstacle), std::move(vertices),
                                                    stiffness, thickness));
    } else {
      add_with_friction(std::make_unique<ObstacleContact>(std::move(obstacle), std::move(vertices),
                                                          stiffness, thickness),
                        friction, system);
    }
    reader.finish();
  }
  return obstacles;
}

void read_contacts(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                   const Vector& x, System& system) {
  for (TableReader& reader : readers) {
    reader.expect({"bodies", "stiffness", "thickness", "friction", "creep"});
    std::vector<ContactSurface> surfaces;
    const std::vector<const PlacedBody*> chosen = touching_bodies(reader, bodies);
    for (const PlacedBody* body : chosen) surfaces.push_back(surface_of(*body));
    if (surfaces.size() < 2) {
      reader.fail("bodies", "a contact needs two bodies or more");
    }
    const double stiffness = reader.positive("stiffness");
    const double thickness = reader.positive("thickness");
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
    const SceneFriction friction = read_friction(reader);
    add_with_friction(std::make_unique<BodyContact>(surfaces, stiffness, thickness, x), friction,
                      system);
    reader.finish();
  }
}

}  // namespace lilyan
