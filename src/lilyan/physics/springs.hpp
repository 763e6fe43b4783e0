// Springs between pairs of vertices, with l their length and r that at rest:
//   hookean:  E = ½ k (l − r)²                                                                  (1)
//   stvk:     E = ½ k (l² − r²)²                                                                (2)
// (2) is that of Rojas, Liu, Kavan: Average Vector Field Integration for St. Venant-Kirchhoff
// Deformable Models, §5; its k is a force per length³, and 4 k r² the stiffness of small stretches.
// Its force is a cubic polynomial, so that AVF's two Gauss points conserve energy exactly. In
// s = l² their difference quotients have no cancellation:
//   hookean:  (E₁ − E₀)/(s₁ − s₀) = ½k (1 − 2r/(l₀+l₁))                                         (3)
//   stvk:     (E₁ − E₀)/(s₁ − s₀) = ½k (s₀ + s₁ − 2r²)                                          (4)
#pragma once

#include <memory>
#include <vector>

#include "lilyan/assemble/spring_kernel.hpp"
#include "lilyan/core/energy.hpp"

namespace lilyan {

enum class SpringKind { hookean, stvk };

// Throws Error for a spring between a vertex and itself, a stiffness that is not positive or a
// negative rest length.
[[nodiscard]] std::unique_ptr<Energy> springs(SpringKind kind, std::vector<Spring> springs);

}  // namespace lilyan
