// St. Venant–Kirchhoff:  ψ = μ‖G‖² + (λ/2) tr(G)²,  G = ½(C − I),  C = FᵀF.                     (1)
//
// Quartic in F, so forces are cubic: AVF with Simpson or two Gauss points is exact. It does not
// resist inversion, and its Hessian is indefinite under compression.
//
// Teran, Sifakis, Irving, Fedkiw: Robust quasistatic finite elements and flesh simulation,
// SCA 2005, for the tangent.
//
// Symbols: F deformation gradient, S = 2μG + λ tr(G) I second and P = FS first Piola–Kirchhoff
// stress.
#pragma once

#include "lilyan/assemble/vertex_blocks.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

struct Stvk {
  double mu;
  double lambda;

  template <class T>
  struct Blocks;

  // ψ is quadratic in C, so S is linear in it (read by assemble/tet_discrete_kernel.hpp).
  static constexpr bool kQuadraticInStrain = true;

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const Mat3<T> G = green_strain(F);
    const T tr = G(0, 0) + G(1, 1) + G(2, 2);
    const T diagonal = G(0, 0) * G(0, 0) + G(1, 1) * G(1, 1) + G(2, 2) * G(2, 2);
    const T beside = G(0, 1) * G(0, 1) + G(0, 2) * G(0, 2) + G(1, 2) * G(1, 2);
    return mu * (diagonal + 2.0 * beside) + (0.5 * lambda) * tr * tr;  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    return multiply(F, second_stress(F));
  }

  // a += weight ∂P/∂F with ∂P_ij/∂F_kl = δ_ik S_jl + μ (F_il F_kj + δ_jl (FFᵀ)_ik) + λ F_ij F_kl.
  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    const Mat3<T> S = second_stress(F);
    const Mat3<T> B = outer_gram(F);
    const T wm = weight * mu;
    const T wl = weight * lambda;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = i; k < 3; ++k) {
          for (int l = (k == i ? j : 0); l < 3; ++l) {
            T v = wm * (F(i, l) * F(k, j)) + wl * (F(i, j) * F(k, l));
            if (i == k) v += weight * S(j, l);
            if (j == l) v += wm * B(i, k);
            a.a[3 * i + j][3 * k + l] += v;
          }
        }
      }
    }
  }

  [[nodiscard]] static MaterialInfo info() {
    return {
        .name = "stvk",
        .summary = "St. Venant–Kirchhoff; polynomial, does not resist inversion",
        .citation = "Teran, Sifakis, Irving, Fedkiw 2005",
        .formula = "ψ = μ‖G‖² + (λ/2) tr(G)²,  G = ½(FᵀF − I)",
        .use = "moderate compression; the cheapest, and AVF is exact with its default two points",
        .inverts = true,
        .degree = 4,
        .parameters = lame_parameters(),
        .make = [](const TetShape& shape, const Parameters& given) {
          const auto [mu, lambda] = lame(given);
          return make_tets(Stvk{mu, lambda}, shape);
        }};
  }

 private:
  template <class T>
  static Mat3<T> green_strain(const Mat3<T>& F) {
    Mat3<T> G = gram(F);
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        G(i, j) = 0.5 * (i == j ? G(i, j) - 1.0 : G(i, j));
        G(j, i) = G(i, j);
      }
    }
    return G;
  }

  template <class T>
  Mat3<T> second_stress(const Mat3<T>& F) const {
    Mat3<T> S = green_strain(F);
    const T pressure = lambda * (S(0, 0) + S(1, 1) + S(2, 2));
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        S(i, j) = (2 * mu) * S(i, j);
        S(j, i) = S(i, j);
      }
      S(i, i) += pressure;
    }
    return S;
  }
};

// The tangent between the gradients of two vertices, with fᵃ = F gᵃ:
//   K_ab = (gᵃ·S gᵇ) I + μ (fᵇ fᵃᵀ + (gᵃ·gᵇ) FFᵀ) + λ fᵃ fᵇᵀ.
// Sums over nodes pass through S and FFᵀ, so that they meet the gradients once only.
template <class T>
struct Stvk::Blocks {
  using V = VertexBlocks<T>;
  Mat3<T> stress;           // Σ w S, upper triangle
  Mat3<T> left;             // Σ w μ FFᵀ, likewise
  Mat3<T> f;                // of the last node; column a is fᵃ
  T wm, wl;                 // its w μ, w λ
  EarlierNodes<T> earlier;  // their terms in fᵃ fᵇᵀ

  template <int kBefore>
  void add(const Stvk& m, const Mat3<T>& F, const Mat3<T>& G, const T& weight) {
    if constexpr (kBefore > 0) earlier.template add<kBefore == 1>(*this);
    const Mat3<T> S = m.second_stress(F);
    const Mat3<T> B = outer_gram(F);
    wm = weight * m.mu;
    wl = weight * m.lambda;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        accumulate<kBefore == 0>(stress(i, j), weight * S(i, j));
        accumulate<kBefore == 0>(left(i, j), wm * B(i, j));
      }
    }
    f = multiply_transposed(F, G);
  }

  template <bool kOne>
  void finish(const Mat3<T>& G, V& blocks) const {
    Mat3<T> Sg;  // row b is S gᵇ
    for (int b = 0; b < 3; ++b) {
      Sg(b, 0) = G(b, 0) * stress(0, 0) + G(b, 1) * stress(0, 1) + G(b, 2) * stress(0, 2);
      Sg(b, 1) = G(b, 0) * stress(0, 1) + G(b, 1) * stress(1, 1) + G(b, 2) * stress(1, 2);
      Sg(b, 2) = G(b, 0) * stress(0, 2) + G(b, 1) * stress(1, 2) + G(b, 2) * stress(2, 2);
    }
    const auto entry = [&](const T& product, const T& s, int r, int c) {
      const T v = product * (r < c ? left(r, c) : left(c, r));
      return r == c ? v + s : v;
    };
    for (int a = 0; a < 3; ++a) {
      const T product = row_product(G, a, a);
      const T s = along(G, Sg, a, a);
      for (int e = 0; e < 6; ++e) {
        T& target = blocks.diagonal[a][e];
        target = entry(product, s, V::kRow[e], V::kColumn[e]) + diagonal(a, e);
        if constexpr (!kOne) target += earlier.sum.diagonal[a][e];
      }
    }
    for (int n = 0; n < 3; ++n) {
      const T product = row_product(G, V::kAfter[n], V::kBefore[n]);
      const T s = along(G, Sg, V::kAfter[n], V::kBefore[n]);
      for (int e = 0; e < 9; ++e) {
        T& target = blocks.below[n][e];
        target = entry(product, s, e % 3, e / 3) + below(n, e);
        if constexpr (!kOne) target += earlier.sum.below[n][e];
      }
    }
  }

  // Entries of the last node's μ fᵇ fᵃᵀ + λ fᵃ fᵇᵀ.
  [[nodiscard]] T diagonal(int a, int e) const {
    return ((wm + wl) * f(V::kRow[e], a)) * f(V::kColumn[e], a);
  }
  [[nodiscard]] T below(int n, int e) const {
    const int a = V::kAfter[n];
    const int b = V::kBefore[n];
    return (wm * f(e % 3, b)) * f(e / 3, a) + (wl * f(e % 3, a)) * f(e / 3, b);
  }

 private:
  static T along(const Mat3<T>& G, const Mat3<T>& Sg, int a, int b) {
    return G(a, 0) * Sg(b, 0) + G(a, 1) * Sg(b, 1) + G(a, 2) * Sg(b, 2);
  }
};

}  // namespace lilyan
