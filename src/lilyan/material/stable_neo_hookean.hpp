// Stable neo-Hookean:
//   ψ = (μ/2)(I₁ − 3) − μ(J − 1) + (λ′/2)(J − 1)²,   I₁ = tr(FᵀF),  J = det F,  λ′ = λ + μ.     (1)
//
// Smith, de Goes, Kim: Stable Neo-Hookean Flesh Simulation, ACM Trans. Graph. 37(2), 2018: their
// form before the regularised origin, without the term −(μ/2) ln(I₁ + 1). Written as
// (λ′/2)(J − α)² with α = 1 + μ/λ′ it is the same up to a constant.
//
// Finite for every F, flat and inverted ones too. Stress is zero at rest, and there the tangent is
//   dP = μ(dF + dFᵀ) + (λ′ − μ) tr(dF) I:                                                       (2)
// with λ′ = λ + μ it is that of linear elasticity with the user's μ and λ. Without the logarithm it
// is a polynomial of degree 6 in F, so that AVF with three Gauss points is exact; the price is that
// an element collapsed into a point (F = 0) is in equilibrium there, with the energy λ/2. That must
// not be below the energy at rest: λ ≥ 0.
//   P = μ F + (λ′(J−1) − μ) cof F                                                               (3)
//   ∂P/∂F = μ I + λ′ cof ⊗ cof + (λ′(J−1) − μ) ∂cof/∂F                                          (4)
#pragma once

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/detail/strain_invariants.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

struct StableNeoHookean {
  double mu;
  double lambda;  // as in linear elasticity; λ′ is volume_stiffness()

  template <class T>
  using Blocks = NeoHookeanBlocks<T>;

  // Slopes of f = −μ(J − 1) + (λ′/2)(J − 1)².
  template <class T>
  [[nodiscard]] VolumeSlopes<T> volume_slopes(const T& J) const {
    return {volume_stiffness() * (J - 1.0) - mu, constant<T>(volume_stiffness())};
  }

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const StrainInvariants<T> strain(F);
    const T volume = strain.volume();
    return mu * (0.5 * strain.I1 - volume) + (0.5 * volume_stiffness()) * volume * volume;  // (1)
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
    std::vector<ParameterSpec> parameters = neo_hookean_parameters();
    for (ParameterSpec& p : parameters) {
      if (p.name == "lambda") p.meaning = "Lamé's first constant λ, ≥ 0";
      if (p.name == "poisson") p.meaning = "Poisson's ratio ν, in [0, 0.5)";
      if (p.name == "b1") p.meaning = "λ/2, ≥ 0";
    }
    return {.name = "stable-neo-hookean",
            .summary = "neo-Hookean without a logarithm; polynomial, finite at inversion",
            .citation = "Smith, de Goes, Kim 2018",
            .formula = "ψ = (μ/2)(I₁ − 3) − μ(J − 1) + ((λ + μ)/2)(J − 1)²",
            .use =
                "violent motion that may invert elements, and poisson near 0.5; AVF is exact with "
                "three points",
            .inverts = true,
            .degree = 6,
            .parameters = std::move(parameters),
            .make = [](const TetShape& shape, const Parameters& given) {
              const auto [mu, lambda] = neo_hookean_lame(given);
              if (lambda < 0) {
                throw ParameterError(
                    "",
                    "stable-neo-hookean needs lambda, b1 or poisson not to be "
                    "negative, or collapsed elements have less energy than at rest");
              }
              return make_tets(StableNeoHookean{mu, lambda}, shape);
            }};
  }

 private:
  [[nodiscard]] double volume_stiffness() const { return lambda + mu; }
};

}  // namespace lilyan
