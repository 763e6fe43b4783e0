// Systems of a scene: [system] with a kind of its own, or kind = "lagrangian" with formulas.
#pragma once

#include "app/scene/scene.hpp"
#include "app/scene/table_reader.hpp"

namespace lilyan {

void read_system(TableReader reader, Scene& scene);

}  // namespace lilyan
