// What a scene's author may not expect of it beyond each body by itself (body.hpp).
#pragma once

#include <optional>
#include <string>

#include "app/scene/scene_tables.hpp"

namespace lilyan {

// A remark that the scene's method turns the body too slowly, as sound crosses it within a step.
[[nodiscard]] std::optional<std::string> remark_on_sound(const PlacedBody& b, const Scene& scene);

}  // namespace lilyan
