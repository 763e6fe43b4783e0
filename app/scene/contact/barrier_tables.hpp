// Contact through which nothing passes: [[contact]] and [[obstacle]] tables that give no stiffness.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scene/body/body.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/contact/obstacle.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

// Whether a table of a contact or an obstacle asks for barriers, and not for a penalty.
[[nodiscard]] bool is_barrier(TableReader& reader);

// An obstacle as vertices of the system that are held: fixed, or moved by its motion. They come after those of all
// bodies.
struct HeldObstacle {
  Obstacle obstacle;
  std::string name;  // for messages
  std::optional<double> friction;
  std::vector<Vec3> vertices;
  int first = 0;  // where they begin in the system
};
// Reads such an obstacle. Throws InputError for a motion that its shape cannot have.
[[nodiscard]] HeldObstacle held_obstacle(TableReader& reader, const Obstacle& obstacle, int number);
// Fixes its vertices, or lets them follow its motion.
void hold(const HeldObstacle& held, const Vector& x, System& system);

struct BarrierScene {
  const std::vector<PlacedBody>& bodies;
  const std::vector<HeldObstacle>& obstacles;
  const Vec3& gravity;
  const Vector& rest;
  const State& start;
};
// Adds the contact that a table describes. Throws InputError where bodies begin within each other, and returns remarks.
std::vector<std::string> add_barrier(TableReader& reader, const BarrierScene& scene,
                                     System& system);
// The contact of a scene that has such obstacles, but no table for them; of bodies with each other where `between`.
std::vector<std::string> add_barrier(const BarrierScene& scene, bool between, System& system,
                                     const TableReader& root);

}  // namespace lilyan
