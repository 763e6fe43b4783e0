// Compressible neo-Hookean:
//   ψ = (μ/2)(I₁ − 3) − μ ln J + (λ/2)(J − 1)²,  I₁ = tr(FᵀF),  J = det F.                      (1)
//
// Bonet, Burton: A simple orthotropic, transversely isotropic hyperelastic constitutive equation
// for large strain computations, CMAME 162 (1998).
//
// Infinite energy at J = 0 and not a number beyond: a minimiser that rejects non-finite trials can
// never invert an element. Derivatives use ∂J/∂F = cof F = J F⁻ᵀ:
//   P = μ F + (λ(J−1) − μ/J) cof F                                                              (2)
//   ∂P_ij/∂F_kl = μ δ_ik δ_jl + (λ + μ/J²) cof_ij cof_kl + (λ(J−1) − μ/J) ∂cof_ij/∂F_kl         (3)
#pragma once

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/detail/strain_invariants.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

struct NeoHookean {
  static constexpr bool kBarrier = true;  // infinite at J = 0
  double mu;
  double lambda;

  template <class T>
  using Blocks = NeoHookeanBlocks<T>;

  // Slopes of f = −μ ln J + (λ/2)(J − 1)².
  template <class T>
  [[nodiscard]] VolumeSlopes<T> volume_slopes(const T& J) const {
    const T inverse = 1.0 / J;
    return {lambda * (J - 1.0) - mu * inverse, lambda + mu * (inverse * inverse)};
  }

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const StrainInvariants<T> strain(F);
    const T volume = strain.volume();
    return mu * (0.5 * strain.I1 - strain.log_det()) + (0.5 * lambda) * volume * volume;  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    return neo_hookean_stress(*this, F);  // (2)
  }

  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    add_neo_hookean_tangent(*this, F, weight, a);  // (3)
  }

  [[nodiscard]] static MaterialInfo info() {
    return {.name = "neo-hookean",
            .summary = "Bonet–Burton neo-Hookean; infinite energy at inversion",
            .citation = "Bonet, Burton 1998",
            .formula = "ψ = (μ/2)(I₁ − 3) − μ ln J + (λ/2)(J − 1)²",
            .use = "large deformations that must never invert an element",
            .parameters = neo_hookean_parameters(),
            .make = [](const TetShape& shape, const Parameters& given) {
              const auto [mu, lambda] = neo_hookean_lame(given);
              return make_tets(NeoHookean{mu, lambda}, shape);
            }};
  }
};

}  // namespace lilyan
