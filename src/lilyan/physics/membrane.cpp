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
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <vector>

#include "lilyan/assemble/gram_element.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {
namespace {

// (2)
struct MembraneLaw {
  static constexpr bool kQuadratic = true;
  Eigen::Vector3d rest;
  Eigen::Matrix3d stiffness;

  double value(const Eigen::Vector3d& c, Eigen::Vector3d* p, Eigen::Matrix3d* Q) const {
    const Eigen::Vector3d slope = stiffness * (c - rest);
    if (p) *p = slope;
    if (Q) *Q = stiffness;
    return 0.5 * slope.dot(c - rest);
  }
};

MembraneLaw membrane_law(const MembraneStiffness& s, const Vec3& e1, const Vec3& e2, double area) {
  Eigen::Matrix2d B;  // D_m⁻¹, with e₁ along the plane's first axis
  const double length = e1.norm();
  B << length, e1.dot(e2) / length, 0, 2 * area / length;
  B = B.inverse().eval();
  Eigen::Matrix3d L;
  const int rows[3][2] = {{0, 0}, {0, 1}, {1, 1}};
  for (int r = 0; r < 3; ++r) {
    const auto [i, j] = rows[r];
    L.row(r) << B(0, i) * B(0, j), B(0, i) * B(1, j) + B(1, i) * B(0, j), B(1, i) * B(1, j);
  }
  Eigen::Matrix3d M;  // ½ GᵀMG is (1) for G = (G₁₁, G₁₂, G₂₂)
  M << 2 * s.mu + s.lambda, 0, s.lambda, 0, 4 * s.mu, 0, s.lambda, 0, 2 * s.mu + s.lambda;
  return {.rest = {e1.squaredNorm(), e1.dot(e2), e2.squaredNorm()},
          .stiffness = 0.25 * area * L.transpose() * M * L};
}

}  // namespace

std::unique_ptr<Energy> membrane(const MembraneStiffness& stiffness, const Vector& rest,
                                 std::span<const std::array<int, 3>> triangles) {
  std::vector<Element<GramElement<MembraneLaw>>> elements;
  elements.reserve(triangles.size());
  for (const std::array<int, 3>& t : triangles) {
    const Vec3 e1 = rest.segment<3>(3 * t[1]) - rest.segment<3>(3 * t[0]);
    const Vec3 e2 = rest.segment<3>(3 * t[2]) - rest.segment<3>(3 * t[0]);
    const double area = 0.5 * e1.cross(e2).norm();
    if (!(area > 0)) {
      throw Error(fmt::format("triangle {} has zero rest area", elements.size()));
    }
    elements.emplace_back(GramElement<MembraneLaw>(membrane_law(stiffness, e1, e2, area)), t);
  }
  return std::make_unique<Elements<GramElement<MembraneLaw>>>(std::move(elements));
}

EnergyInfo membrane_info() {
  return {.name = "membrane",
          .summary = "in-plane elasticity of cloth: St. Venant–Kirchhoff",
          .formula = "E = Σ A (μ‖G‖² + ½λ tr(G)²), G = ½(FᵀF − I), F of 3×2, A the area at rest",
          .citation = "discrete gradient: Simo, Tarnow 1992",
          .degree = 4};
}

}  // namespace lilyan
