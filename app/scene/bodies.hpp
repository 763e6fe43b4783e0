// All bodies of a scene and what acts between them: [[body]], [[spring]], [[obstacle]],
// [[contact]],
// [[constraint]] and [world].
#pragma once

#include "app/scene/scene.hpp"
#include "app/scene/table_reader.hpp"

namespace lilyan {

// Reads them from the root of a scene, and builds the scene's system and initial state.
void read_bodies(TableReader& root, Scene& scene);

}  // namespace lilyan
