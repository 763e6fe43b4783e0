// A material and a method that Lilyan does not have, each in a few lines. The consumer beside this file adds them to
// a program of its own, the plugin to Lilyan's program.
#pragma once

#include <lilyan/assemble/tets.hpp>
#include <lilyan/lilyan.hpp>

// A sponge, which changes its width freely when it is pulled:
//   ψ = (stiffness/4) ‖E‖²,  E = FᵀF − I,   P = stiffness F E.
struct Sponge {
  double stiffness;

  template <class T>
  static lilyan::Mat3<T> strain(const lilyan::Mat3<T>& F) {
    lilyan::Mat3<T> E = lilyan::gram(F);
    for (int i = 0; i < 3; ++i) E(i, i) -= 1.0;
    return E;
  }

  template <class T>
  T energy(const lilyan::Mat3<T>& F) const {
    return (0.25 * stiffness) * lilyan::squared_norm(strain(F));
  }

  template <class T>
  lilyan::Mat3<T> stress(const lilyan::Mat3<T>& F) const {
    lilyan::Mat3<T> E = strain(F);
    for (int k = 0; k < 9; ++k) E(k / 3, k % 3) = stiffness * E(k / 3, k % 3);
    return lilyan::multiply(F, E);
  }

  // The upper triangle of a += weight ∂P/∂F, ∂P_ij/∂F_kl = stiffness (δ_ik E_lj + F_il F_kj + δ_jl (FFᵀ)_ik).
  template <class T>
  void add_tangent(const lilyan::Mat3<T>& F, const T& weight, lilyan::Sym9<T>& a) const {
    const lilyan::Mat3<T> E = strain(F);
    const lilyan::Mat3<T> B = lilyan::outer_gram(F);
    for (int row = 0; row < 9; ++row) {
      for (int column = row; column < 9; ++column) {
        const int i = row / 3, j = row % 3, k = column / 3, l = column % 3;
        T value = F(i, l) * F(k, j);
        if (i == k) value += E(l, j);
        if (j == l) value += B(i, k);
        a.a[row][column] += (weight * stiffness) * value;
      }
    }
  }

  static lilyan::MaterialInfo info() {
    return {.name = "sponge",
            .summary = "a sponge that changes its width freely when it is pulled",
            .citation = "an example",
            .formula = "ψ = (stiffness/4) ‖FᵀF − I‖²",
            .use = "to show how a material is added",
            .inverts = true,
            .degree = 4,
            .parameters = {{"stiffness", "energy per volume, > 0", 100.0}},
            .make = [](const lilyan::TetShape& shape, const lilyan::Parameters& given) {
              const double stiffness = given.number("stiffness");
              if (!(stiffness > 0)) {
                throw lilyan::ParameterError("stiffness", "stiffness must be positive");
              }
              return lilyan::make_tets(Sponge{stiffness}, shape);
            }};
  }
};

// Ralston's explicit method of order two (Ralston 1962):
//   x₁ = x₀ + ⅔h v₀,   v₁ = v₀ + ⅔h a₀;   x₂ = x₀ + h (v₀ + 3v₁)/4,   v₂ = v₀ + h (a₀ + 3a₁)/4
inline lilyan::Method ralston() {
  return {
      .name = "ralston",
      .aliases = {},
      .summary = "explicit, second order",
      .citation = "Ralston 1962",
      .use = "to show how a method is added",
      .parameters = {},
      .variants = {},
      .make = [](const lilyan::Parameters&) {
        const lilyan::Stage first{.time = 2.0 / 3,
                                  .target = {{.point = 0, .velocity = 2.0 / 3}},
                                  .velocity = {{.point = 0, .velocity = 1, .force = 2.0 / 3}}};
        const lilyan::Stage second{
            .target = {{.point = 0, .velocity = 0.25}, {.point = 1, .velocity = 0.75}},
            .velocity = {{.point = 0, .velocity = 1, .force = 0.25}, {.point = 1, .force = 0.75}}};
        return lilyan::Scheme{.label = "ralston",
                              .solve = lilyan::SolveKind::explicit_,
                              .claims = {.order = 2},
                              .table = lilyan::MinimisationTable{.stages = {first, second}}};
      }};
}
