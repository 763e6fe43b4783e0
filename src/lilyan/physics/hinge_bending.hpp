// Bending of triangulated sheets at their edges.
//
// Grinspun, Hirani, Desbrun, Schröder: Discrete Shells, SCA 2003. Two triangles (a,b,c) and (b,a,d)
// that share the edge e = b − a, with u = c − a and v = d − a, enclose the signed angle θ, zero
// when flat:
//   n₁ = e×u,   n₂ = v×e,   θ = atan2(−|e| e·(u×v), n₁·n₂)                                      (1)
//   E = ½ k w (θ − θ₀)²,   w = 3|e|²/A,   A the two triangles' area                             (2)
// with w and θ₀ of the rest shape; k is an energy. The difference of angles is taken on the circle,
// so that the energy jumps only where a hinge is folded half a turn away from its rest angle.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "lilyan/assemble/element_kernel.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// Vertices a, b, c, d of (1).
using Hinge = std::array<int, 4>;

class HingeElement {
 public:
  static constexpr int kVertices = 4;

  // The three edges e, u, v of the rest shape. Throws Error when a triangle has no area.
  HingeElement(double stiffness, const LocalVector<4>& rest);

  double evaluate(const LocalVector<4>& e, LocalVector<4>* gradient, LocalMatrix<4>* hessian) const;
  void discrete(const LocalVector<4>& e0, const LocalVector<4>& d, LocalVector<4>& gradient,
                LocalMatrix<4>* jacobian) const;

 private:
  double half_;  // ½ k w
  double cos_ = 1;
  double sin_ = 0;  // of θ₀
};

// Throws Error for a stiffness that is not positive, and naming the hinge whose triangles are flat.
[[nodiscard]] std::unique_ptr<Energy> hinge_bending(double stiffness, const Vector& rest,
                                                    std::span<const Hinge> hinges);

}  // namespace lilyan
