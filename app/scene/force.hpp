// External forces of a scene: [[body.force]] and [[system.force]].
#pragma once

#include <vector>

#include "app/scene/table_reader.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/physics/drive.hpp"

namespace lilyan {

struct SceneForce {
  bool drag = false;
  double rate = 0;                   // of drag
  Vec3 acceleration = Vec3::Zero();  // of a drive; only x in systems of dimension one
  DriveTiming timing;
  std::vector<int> vertices;  // of the body; empty: all
};

// Without its region, which the caller reads; `dimension` is that of the system.
[[nodiscard]] SceneForce read_force(TableReader& reader, int dimension);

// Adds it to the system; the body's vertices are `count` from `first` on.
void add_force(const SceneForce& force, int first, int count, System& system);

}  // namespace lilyan
