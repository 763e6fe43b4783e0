// In-plane elasticity of triangulated sheets: St. Venant–Kirchhoff membranes.
//
// With D_m the 2×2 rest edges in the triangle's plane, F = [e₁ e₂] D_m⁻¹ (3×2) and the Green strain
// G = ½(FᵀF − I),
//   E = A t (μ‖G‖² + ½λ tr(G)²),   A the rest area, t the thickness                             (1)
// FᵀF is linear in the products c = (e₁·e₁, e₁·e₂, e₂·e₂), with G = ½ L (c − c_rest) and (1) a
// quadratic form in G, so
//   E = ½ (c − c_rest)ᵀ Q (c − c_rest),   Q = ¼ Lᵀ M L                                          (2)
// a polynomial of degree four in x: AVF's two Gauss points conserve it exactly, and its discrete
// gradient is that of Simo and Tarnow (ZAMP 43, 1992).
#pragma once

#include <array>
#include <memory>
#include <span>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// μ and λ are those of the plane, times the thickness: forces per length.
struct MembraneStiffness {
  double mu = 0;
  double lambda = 0;
};

// Throws Error naming the first triangle without area.
[[nodiscard]] std::unique_ptr<Energy> membrane(const MembraneStiffness& stiffness,
                                               const Vector& rest,
                                               std::span<const std::array<int, 3>> triangles);

}  // namespace lilyan
