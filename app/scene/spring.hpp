// The [[spring]] tables of a scene: single springs within or between bodies.
#pragma once

#include <vector>

#include "app/scene/body.hpp"
#include "app/scene/table_reader.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// Adds them to a system made of the bodies' vertices one after the other, which start at x.
void read_springs(std::vector<TableReader> readers, const std::vector<Body>& bodies,
                  const Vector& x, System& system);

}  // namespace lilyan
