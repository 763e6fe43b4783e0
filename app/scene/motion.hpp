// Keyframed motion in scenes: of vertices, and of obstacles.
#pragma once

#include <vector>

#include "app/scene/table_reader.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

// The keys of a motion, wherever they stand: `keys`, `axis`, `center`, `easing`, `repeat`.
[[nodiscard]] RigidMotion read_motion(TableReader& reader, const Vec3& standard_center);

// One [[body.script]].
struct SceneScript {
  std::vector<int> vertices;  // of the body
  RigidMotion motion;
};
// x are the body's initial positions; the default centre is that of the vertices' bounding box.
[[nodiscard]] SceneScript read_script(TableReader reader, const Vector& rest, const Vector& x);

}  // namespace lilyan
