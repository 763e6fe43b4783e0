#include "app/scene/contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "app/scene/motion.hpp"
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
  friction.mu = reader.number("friction", 0.0);
  if (!(friction.mu >= 0)) reader.fail("friction", "'friction' must not be negative");
  if (friction.mu > 0 || reader.has("creep")) friction.creep = reader.positive("creep", kCreep);
  return friction;
}

ObstacleShape read_shape(TableReader& reader) {
  const std::string kind = reader.choice("kind", {"plane", "sphere", "box", "capsule"});
  if (kind == "plane") {
    const Vec3 normal = reader.vector("normal", Vec3(Vec3::UnitY()));
    if (normal.isZero(0)) reader.fail("normal", "'normal' must not be zero");
    return PlaneShape{.point = reader.vector("point", Vec3::Zero()),
                      .normal = normal.stableNormalized()};
  }
  if (kind == "sphere") {
    return SphereShape{.center = reader.vector("center"), .radius = reader.positive("radius")};
  }
  if (kind == "box") {
    const Vec3 size = reader.vector("size");
    if (!(size.minCoeff() > 0)) reader.fail("size", "'size' must be three positive numbers");
    return BoxShape{.center = reader.vector("center"), .half = 0.5 * size};
  }
  return CapsuleShape{.from = reader.vector("from"),
                      .to = reader.vector("to"),
                      .radius = reader.positive("radius")};
}

Vec3 middle(const ObstacleShape& shape) {
  struct Middle {
    Vec3 operator()(const PlaneShape& s) const { return s.point; }
    Vec3 operator()(const SphereShape& s) const { return s.center; }
    Vec3 operator()(const BoxShape& s) const { return s.center; }
    Vec3 operator()(const CapsuleShape& s) const { return 0.5 * (s.from + s.to); }
  };
  return std::visit(Middle{}, shape);
}

// The bodies named under `bodies`, all by default.
std::vector<const ContactBody*> read_bodies(TableReader& reader,
                                            const std::vector<ContactBody>& bodies) {
  std::vector<const ContactBody*> chosen;
  if (!reader.has("bodies")) {
    for (const ContactBody& body : bodies) chosen.push_back(&body);
    return chosen;
  }
  const std::vector<std::string> given = reader.texts("bodies");
  if (given.empty())
    reader.fail("bodies", "this list is empty; name a body, or leave it out for all");
  for (const std::string& name : given) {
    const auto body = std::ranges::find(bodies, name, &ContactBody::name);
    if (body == bodies.end()) {
      std::vector<std::string> names;
      for (const ContactBody& b : bodies) names.push_back(b.name);
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

// What is seen of an obstacle.
Obstacle read_obstacle(TableReader& reader) {
  Obstacle obstacle{.shape = read_shape(reader)};
  const bool plane = std::holds_alternative<PlaneShape>(obstacle.shape);
  if (plane && reader.has("inside")) {
    reader.fail("inside", "a plane has no inside; turn its 'normal' round");
  }
  if (!plane) obstacle.inside_out = reader.flag("inside", false);
  if (reader.has("motion")) {
    TableReader motion = reader.table("motion");
    obstacle.motion = read_motion(motion, middle(obstacle.shape));
    motion.finish();
  }
  return obstacle;
}

}  // namespace

std::vector<Obstacle> obstacles_in(const std::filesystem::path& file) {
  const SceneDocument document(file, {});
  toml::table resolved;
  TableReader root(document, document.root(), "", resolved);
  std::vector<Obstacle> obstacles;
  for (TableReader& reader : root.tables("obstacle")) obstacles.push_back(read_obstacle(reader));
  return obstacles;
}

std::vector<Obstacle> read_obstacles(std::vector<TableReader> readers,
                                     const std::vector<ContactBody>& bodies, System& system) {
  std::vector<Obstacle> obstacles;
  for (TableReader& reader : readers) {
    reader.expect({"name", "kind", "point", "normal", "center", "radius", "size", "from", "to",
                   "inside", "stiffness", "thickness", "model", "friction", "creep", "bodies",
                   "motion"});
    reader.text("name", "obstacle");
    Obstacle obstacle = read_obstacle(reader);
    const double stiffness = reader.positive("stiffness");
    const double thickness = reader.number("thickness", 0.0);
    if (!(thickness >= 0)) reader.fail("thickness", "'thickness' must not be negative");
    const std::string model = reader.choice("model", {"penalty", "repulsion-springs"}, "penalty");
    const SceneFriction friction = read_friction(reader);
    std::vector<int> vertices;
    for (const ContactBody* body : read_bodies(reader, bodies)) {
      for (int i = 0; i < body->count; ++i) vertices.push_back(body->first + i);
    }
    obstacles.push_back(obstacle);
    if (model == "repulsion-springs") {
      if (friction.mu > 0) {
        reader.fail("friction", "repulsion springs have no friction; use model = \"penalty\"");
      }
      system.add(std::make_unique<RepulsionSprings>(std::move(obstacle), std::move(vertices),
                                                    stiffness, thickness));
    } else {
      auto contact = std::make_unique<ObstacleContact>(std::move(obstacle), std::move(vertices),
                                                       stiffness, thickness);
      const TouchSource& touches = *contact;
      system.add(std::unique_ptr<Energy>(std::move(contact)));
      if (friction.mu > 0) {
        system.add(std::make_unique<Friction>(touches, friction.mu, friction.creep));
      }
    }
    reader.finish();
  }
  return obstacles;
}

void read_contacts(std::vector<TableReader> readers, const std::vector<ContactBody>& bodies,
                   const Vector& x, System& system) {
  for (TableReader& reader : readers) {
    reader.expect({"bodies", "stiffness", "thickness", "friction", "creep"});
    std::vector<ContactSurface> surfaces;
    const std::vector<const ContactBody*> chosen = read_bodies(reader, bodies);
    for (const ContactBody* body : chosen) surfaces.push_back(body->surface);
    if (surfaces.size() < 2) {
      reader.fail("bodies", "a contact needs two bodies or more");
    }
    const double stiffness = reader.positive("stiffness");
    const double thickness = reader.positive("thickness");
    for (const ContactBody* body : chosen) {
      Eigen::AlignedBox3d extent;
      for (int i = 0; i < body->count; ++i)
        extent.extend(Vec3(x.segment<3>(3 * (body->first + i))));
      if (thickness > extent.diagonal().norm()) {
        reader.fail("thickness", fmt::format("the thickness is more than the size of body '{}', "
                                             "which is {:.4g} across",
                                             body->name, extent.diagonal().norm()));
      }
    }
    const SceneFriction friction = read_friction(reader);
    auto contact = std::make_unique<BodyContact>(surfaces, stiffness, thickness, x);
    const TouchSource& touches = *contact;
    system.add(std::unique_ptr<Energy>(std::move(contact)));
    if (friction.mu > 0) {
      system.add(std::make_unique<Friction>(touches, friction.mu, friction.creep));
    }
    reader.finish();
  }
}

}  // namespace lilyan
