// The [step_control] table of a scene.
#pragma once

#include "app/scene/scene.hpp"
#include "app/scene/table_reader.hpp"

namespace lilyan {

// The rule alone: how the integrator's duration is read depends on it.
void read_step_control_kind(TableReader& reader, Scene& scene);
// The rest, once method and first step are known.
void read_step_control(TableReader& reader, Scene& scene);

}  // namespace lilyan
