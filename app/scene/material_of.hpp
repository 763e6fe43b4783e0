// Material and damping of a scene's first body, for those who want to show them.
#pragma once

#include <optional>

#include "app/scene/scene.hpp"
#include "lilyan/material/material.hpp"

namespace lilyan {

// None where the scene does not give it by mu and lambda.
[[nodiscard]] std::optional<Lame> material_of(const Scene& scene);

struct RayleighDamping {
  double mass = 0;       // one over a time
  double stiffness = 0;  // a time
};
// Zeros where the body has no damping, or one of another kind; none where there are no bodies.
[[nodiscard]] std::optional<RayleighDamping> damping_of(const Scene& scene);

}  // namespace lilyan
