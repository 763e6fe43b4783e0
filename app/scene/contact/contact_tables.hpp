// Contact of bodies with obstacles, [[obstacle]], and with each other, [[contact]].
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/scene/body/body.hpp"
#include "app/scene/contact/barrier_tables.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/contact/obstacle.hpp"
#include "lilyan/contact/surface.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

// What touches an obstacle: vertices, and the distance from its surface at which contact begins.
struct Touch {
  std::vector<int> vertices;
  double thickness = 0;
  double depth = 0;  // that bodies are to sink in by at rest; 0: a stiffness was given
};
// Surfaces that touch each other, and the distance at which contact begins.
struct TouchingBodies {
  std::vector<ContactSurface> surfaces;
  double thickness = 0;
  double depth = 0;  // as above
};

// The bodies named under `bodies`, all by default.
[[nodiscard]] std::vector<const PlacedBody*> named_bodies(TableReader& reader,
                                                          const std::vector<PlacedBody>& bodies);
// The part of a body that can be touched, as vertices and triangles of the system.
[[nodiscard]] ContactSurface contact_surface(const PlacedBody& body);

// The obstacles that give no stiffness, with the numbers of their vertices from `first` on.
std::vector<HeldObstacle> read_held_obstacles(std::vector<TableReader>& readers, int first);

// Bodies start at x.
struct TouchedObstacle {
  Obstacle obstacle;
  Touch touch;
};
std::vector<TouchedObstacle> read_obstacles(std::vector<TableReader> readers,
                                            const std::vector<PlacedBody>& bodies,
                                            const std::vector<HeldObstacle>& held,
                                            const Vec3& gravity, System& system);
// Bodies that overlap are moved apart if the scene asks for it.
std::vector<TouchingBodies> read_contacts(std::vector<TableReader> readers,
                                          const std::vector<PlacedBody>& bodies,
                                          const Vec3& gravity, Vector& x, System& system);

// Remarks on bodies that start so fast that one of them is crossed within a step.
[[nodiscard]] std::vector<std::string> remarks_on_speed(const std::vector<TouchingBodies>& contacts,
                                                        const std::vector<PlacedBody>& bodies,
                                                        const State& start, double step);

// Only the obstacles of a scene file: the copy in a run's folder may be far from its meshes. Throws
// InputError.
[[nodiscard]] std::vector<Obstacle> obstacles_in(const std::filesystem::path& file);

}  // namespace lilyan
