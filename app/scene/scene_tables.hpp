// The tables of a scene file: which function reads each of them into the scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scene/body.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/table_reader.hpp"
#include "lilyan/contact/obstacle_contact.hpp"

namespace lilyan {

// [integrator], [step_control], [solver] and [output], from the root of a scene (settings.cpp).
// The changes may replace the number of steps or the duration.
void read_settings(TableReader& root, const SceneChanges& changes, Scene& scene);

// [system]: a small system of a built-in kind, or given by formulas (system_table.cpp).
void read_system(TableReader reader, Scene& scene);

// [[body]], [world] and everything below, from the root of a scene. Builds the scene's system and
// initial state (bodies.cpp).
void read_bodies(TableReader& root, Scene& scene);

// [start]: the frame of an earlier run in the place of the initial state. The scene is complete otherwise (start.cpp).
void read_start(TableReader reader, Scene& scene);

// A body and where its vertices begin in the system.
struct PlacedBody {
  const Body* body;
  int number;  // among the scene's bodies
  int first;
  [[nodiscard]] const std::string& name() const { return body->name; }
  [[nodiscard]] int count() const { return static_cast<int>(body->masses.size()); }
};

// [[spring]]: single springs within or between bodies (joints.cpp).
void read_springs(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                  Scene& scene);

// [[constraint]]: adds the constraints to the scene's system and makes sure that the initial state obeys
// them. With `project` its velocities are made to. Throws InputError that points at the table to
// blame (joints.cpp).
void read_constraints(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                      bool project, Scene& scene);

// [[obstacle]] and [[contact]] between bodies, which start at x (contact.cpp).
struct TouchedObstacle {
  Obstacle obstacle;
  Touch touch;
};
std::vector<TouchedObstacle> read_obstacles(std::vector<TableReader> readers,
                                            const std::vector<PlacedBody>& bodies,
                                            const Vec3& gravity, System& system);
// Bodies that overlap are moved apart if the scene asks for it.
std::vector<TouchingBodies> read_contacts(std::vector<TableReader> readers,
                                          const std::vector<PlacedBody>& bodies,
                                          const Vec3& gravity, Vector& x, System& system);

}  // namespace lilyan
