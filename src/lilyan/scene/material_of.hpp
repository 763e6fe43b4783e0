// The material of a scene's first body, for those who want to show it.
#pragma once

#include <optional>

#include "lilyan/material/material.hpp"
#include "lilyan/scene/scene.hpp"

namespace lilyan {

// None where the scene does not give it by mu and lambda.
[[nodiscard]] std::optional<Lame> material_of(const Scene& scene);

}  // namespace lilyan
