// Actions on a body: external forces, damping, and scripted motion.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/scene/toml/table_reader.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

struct Body;

// One [[body.force]] or [[system.force]].
struct SceneForce {
  bool drag = false;
  double rate = 0;                   // of drag
  Vec3 acceleration = Vec3::Zero();  // of a drive; only x in systems of dimension one
  DriveTiming timing;
  std::optional<std::vector<int>> vertices;  // of the body; none: all
};
// Reads everything but the region, which is the caller's; `dimension` is the system's.
[[nodiscard]] SceneForce read_force(TableReader& reader, int dimension);
// Adds it to the system; the body's vertices are `count` from `first` on.
void add_force(const SceneForce& force, int first, int count, System& system);

enum class DampingModel { none, rayleigh, rayleigh_end, strain, strain_explicit, kelvin_voigt };

// A body's `damping` table.
struct SceneDamping {
  DampingModel model = DampingModel::none;
  double stiffness = 0;  // δ of Rayleigh damping, a time
  double mass = 0;       // η of Rayleigh damping, one over a time
  double time = 0;       // of strain damping
  [[nodiscard]] bool of_strain() const {
    return model == DampingModel::strain || model == DampingModel::strain_explicit ||
           model == DampingModel::kelvin_voigt;
  }
};
[[nodiscard]] SceneDamping read_damping(TableReader reader);
// Damps a body, whose vertices begin at `first` in the system, with these elastic energies of it.
void add_damping(const Body& body, std::span<const Energy* const> energies, int first,
                 System& system);

// The keyframes of a motion, of vertices or of an obstacle: `keys`, `axis`, `center`, `easing`,
// `repeat`.
[[nodiscard]] RigidMotion read_motion(TableReader& reader, const Vec3& default_center);

// One [[body.script]].
struct SceneScript {
  std::vector<int> vertices;  // of the body
  RigidMotion motion;
};
// x are the body's initial positions; the default centre is that of the vertices' bounding box.
[[nodiscard]] SceneScript read_script(TableReader reader, const Body& body);

}  // namespace lilyan
