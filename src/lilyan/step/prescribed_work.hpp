// The work of prescribed vertices within a step.
#pragma once

#include <span>

#include "lilyan/base/types.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan {

// The work against the potentials of whatever moves them: ∫ ∇E·d over the path x₀ → x₀ + d, of the
// coordinates of prescribed vertices only, by a rule of nodes whose weights add up to one. Zero
// without such vertices. `scratch` has the size of x.
[[nodiscard]] double prescribed_work(const World& world, const Vector& x0, const Vector& d,
                                     std::span<const Node> rule, Vector& scratch);

// Simpson's rule: as accurate as any method here needs, exact for cubic forces.
[[nodiscard]] double prescribed_work(const World& world, const Vector& x0, const Vector& d,
                                     Vector& scratch);

}  // namespace lilyan
