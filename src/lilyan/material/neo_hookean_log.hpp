// Compressible neo-Hookean with a logarithmic volume term:
//   ψ = (μ/2)(I₁ − 3) − μ ln J + (λ/2) ln²J,   I₁ = tr(FᵀF),  J = det F.                        (1)
//
// Bonet, Wood: Nonlinear Continuum Mechanics for Finite Element Analysis, Cambridge 1997, §5.4.3.
//
// Infinite energy at J = 0 and not a number beyond, as for the Bonet–Burton form; but the volume
// term too grows without bound as J → 0, and for J > e it softens, so that large expansions
// are cheaper. With f(J) = −μ ln J + (λ/2) ln²J:
//   f′ = (λ ln J − μ)/J,   f″ = (λ + μ − λ ln J)/J²                                             (2)
//   P = μ F + f′ cof F                                                                          (3)
//   ∂P/∂F = μ I + f″ cof ⊗ cof + f′ ∂cof/∂F                                                     (4)
#pragma once

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/detail/strain_invariants.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

struct NeoHookeanLog {
  static constexpr bool kBarrier = true;  // infinite at J = 0
  double mu;
  double lambda;

  template <class T>
  using Blocks = NeoHookeanBlocks<T>;

  template <class T>
  [[nodiscard]] VolumeSlopes<T> volume_slopes(const T& J) const {
    const T inverse = 1.0 / J;
    const T slope = lambda * log(J) - mu;
    return {slope * inverse, (lambda - slope) * (inverse * inverse)};  // (2)
  }

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const StrainInvariants<T> strain(F);
    const T log_J = strain.log_det();
    return mu * (0.5 * strain.I1 - log_J) + (0.5 * lambda) * log_J * log_J;  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    return neo_hookean_stress(*this, F);  // (3)
  }

  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    add_neo_hookean_tangent(*this, F, weight, a);  // (4)
  }

  [[nodiscard]] static MaterialInfo info() {
    return {.name = "neo-hookean-log",
            .summary = "neo-Hookean with ln²J as volume term; infinite energy at inversion",
            .citation = "Bonet, Wood 1997",
            .formula = "ψ = (μ/2)(I₁ − 3) − μ ln J + (λ/2) ln²J",
            .use =
                "as neo-hookean, with more resistance to extreme compression and less to extreme "
                "expansion",
            .parameters = neo_hookean_parameters(),
            .make = [](const TetShape& shape, const Parameters& given) {
              const auto [mu, lambda] = neo_hookean_lame(given);
              return make_tets(NeoHookeanLog{mu, lambda}, shape);
            }};
  }
};

}  // namespace lilyan
