// The [[constraint]] tables of a scene.
#pragma once

#include <vector>

#include "app/scene/body.hpp"
#include "app/scene/table_reader.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// Adds the constraints to a system made of the bodies' vertices one after the other, and makes sure
// that the initial state obeys them; its velocities are made to where `project` says so. Throws
// InputError that points at the table to blame.
void read_constraints(std::vector<TableReader> readers, const std::vector<Body>& bodies,
                      bool project, System& system, State& initial);

}  // namespace lilyan
