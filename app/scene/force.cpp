#include "app/scene/force.hpp"

#include <limits>
#include <memory>
#include <numbers>
#include <numeric>

#include "lilyan/physics/drag.hpp"

namespace lilyan {

SceneForce read_force(TableReader& reader, int dimension) {
  SceneForce force;
  force.drag = reader.choice("kind", {"drag", "drive"}) == "drag";
  if (force.drag) {
    force.rate = reader.number("rate");
    if (!(force.rate >= 0)) reader.fail("rate", "'rate' must not be negative");
    return force;
  }
  if (dimension == 3) {
    force.acceleration = reader.vector("acceleration");
  } else {
    force.acceleration[0] = reader.number("acceleration");
  }
  force.timing.frequency = reader.number("frequency", 0.0);
  force.timing.phase = reader.number("phase", 0.0) * std::numbers::pi / 180;
  if (reader.has("from")) force.timing.from = reader.number("from");
  if (reader.has("until")) force.timing.until = reader.number("until");
  if (force.timing.until < force.timing.from) {
    reader.fail("until", "'until' must not be before 'from'");
  }
  return force;
}

void add_force(const SceneForce& force, int first, int count, System& system) {
  std::vector<int> vertices = force.vertices;
  if (vertices.empty()) {
    vertices.resize(static_cast<std::size_t>(count));
    std::iota(vertices.begin(), vertices.end(), 0);
  }
  const int n = system.dimension();
  Vector values = Vector::Zero(system.dofs());
  for (const int i : vertices) {
    const int at = n * (first + i);
    for (int c = 0; c < n; ++c) {
      values[at + c] = system.mass()[at + c] * (force.drag ? 1.0 : force.acceleration[c]);
    }
  }
  if (force.drag) {
    system.add(std::make_unique<Drag>(std::move(values), force.rate));
  } else {
    system.add(std::make_unique<Drive>(std::move(values), force.timing));
  }
}

}  // namespace lilyan
