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
#include "lilyan/core/mat3.hpp"

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
  VertexBlocks<T> sum;  // of the terms in fᵃ fᵇᵀ
  Mat3<T> stress;       // Σ w S, upper triangle
  Mat3<T> left;         // Σ w μ FFᵀ, likewise

  template <bool kFirst>
  void add(const Stvk& m, const Mat3<T>& F, const Mat3<T>& G, const T& weight) {
    using V = VertexBlocks<T>;
    const Mat3<T> S = m.second_stress(F);
    const Mat3<T> B = outer_gram(F);
    const T wm = weight * m.mu;
    const T wl = weight * m.lambda;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        accumulate<kFirst>(stress(i, j), weight * S(i, j));
        accumulate<kFirst>(left(i, j), wm * B(i, j));
      }
    }
    const Mat3<T> f = multiply_transposed(F, G);  // column a is fᵃ
    Mat3<T> by_mu, by_lambda;
    for (int i = 0; i < 3; ++i) {
      for (int a = 0; a < 3; ++a) {
        by_mu(i, a) = wm * f(i, a);
        by_lambda(i, a) = wl * f(i, a);
      }
    }
    for (int a = 0; a < 3; ++a) {
      for (int e = 0; e < 6; ++e) {
        accumulate<kFirst>(sum.diagonal[a][e],
                           (by_mu(V::kRow[e], a) + by_lambda(V::kRow[e], a)) * f(V::kColumn[e], a));
      }
    }
    for (int n = 0; n < 3; ++n) {
      const int a = V::kAfter[n];
      const int b = V::kBefore[n];
      for (int e = 0; e < 9; ++e) {
        accumulate<kFirst>(sum.below[n][e],
                           by_mu(e % 3, b) * f(e / 3, a) + by_lambda(e % 3, a) * f(e / 3, b));
      }
    }
  }

  void finish(const Mat3<T>& G, VertexBlocks<T>& blocks) const {
    using V = VertexBlocks<T>;
    Mat3<T> Sg;  // row b is S gᵇ
    for (int b = 0; b < 3; ++b) {
      Sg(b, 0) = G(b, 0) * stress(0, 0) + G(b, 1) * stress(0, 1) + G(b, 2) * stress(0, 2);
      Sg(b, 1) = G(b, 0) * stress(0, 1) + G(b, 1) * stress(1, 1) + G(b, 2) * stress(1, 2);
      Sg(b, 2) = G(b, 0) * stress(0, 2) + G(b, 1) * stress(1, 2) + G(b, 2) * stress(2, 2);
    }
    const auto along = [&](int a, int b) {
      return G(a, 0) * Sg(b, 0) + G(a, 1) * Sg(b, 1) + G(a, 2) * Sg(b, 2);
    };
    for (int a = 0; a < 3; ++a) {
      const T product = row_product(G, a, a);
      const T s = along(a, a);
      for (int e = 0; e < 6; ++e) {
        const int r = V::kRow[e];
        const int c = V::kColumn[e];
        blocks.diagonal[a][e] = sum.diagonal[a][e] + product * left(c, r);
        if (r == c) blocks.diagonal[a][e] += s;
      }
    }
    for (int n = 0; n < 3; ++n) {
      const T product = row_product(G, V::kAfter[n], V::kBefore[n]);
      const T s = along(V::kAfter[n], V::kBefore[n]);
      for (int e = 0; e < 9; ++e) {
        const int r = e % 3;
        const int c = e / 3;
        blocks.below[n][e] = sum.below[n][e] + product * (r < c ? left(r, c) : left(c, r));
        if (r == c) blocks.below[n][e] += s;
      }
    }
  }
};

}  // namespace lilyan
