// Bending of rods made of straight segments, the same in all directions and without twist.
//
// Bergou, Wardetzky, Robinson, Audoly, Grinspun: Discrete Elastic Rods, SIGGRAPH 2008. At an inner
// vertex with the segments e before and f after it and the angle φ between them,
//   |κ| = 2 tan(φ/2),   |κ|² = 4 (|e||f| − e·f)/(|e||f| + e·f)                                  (1)
//   E = ½ k (|κ| − κ₀)²/l,   l half the two segments' rest length                               (2)
// where κ₀ is the rest shape's and k a stiffness times length². Without a material frame a rod bent
// at rest resists the size of curvature, not its direction; for such |κ| is replaced by
// √(|κ|² + ε²), ε = κ₀/1000, in both places of (2), which takes the kink out of a straight rod.
// Written in the products of the two edges from the vertex, a = −e and b = f, |e||f| = √(a·a b·b).
#pragma once

#include <array>
#include <memory>
#include <span>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// Consecutive vertices before, inner, after. Throws Error for a stiffness that is not positive and
// for segments of length zero or folded back at rest.
[[nodiscard]] std::unique_ptr<Energy> rod_bending(double stiffness, const Vector& rest,
                                                  std::span<const std::array<int, 3>> corners);

}  // namespace lilyan
