// The damping of a body.
#pragma once

#include <span>
#include <string>

#include "app/scene/table_reader.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

enum class DampingModel { none, rayleigh, rayleigh_end, strain, strain_explicit };

struct SceneDamping {
  DampingModel model = DampingModel::none;
  double stiffness = 0;  // δ of Rayleigh damping, a time
  double mass = 0;       // η of Rayleigh damping, one over a time
  double time = 0;       // of strain damping
};

// A body's `damping` table.
[[nodiscard]] SceneDamping read_damping(TableReader reader);

// Of a body with these elastic energies (of the system) and vertices.
void add_damping(const SceneDamping& damping, std::span<const Energy* const> energies, int first,
                 int count, System& system);

}  // namespace lilyan
