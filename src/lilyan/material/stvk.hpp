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

#include "lilyan/core/mat3.hpp"

namespace lilyan {

struct Stvk {
  double mu;
  double lambda;

  // ψ is quadratic in C, so S is linear in it (read by assemble/tet_discrete_kernel.hpp).
  static constexpr bool kQuadraticInStrain = true;

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const Mat3<T> G = green_strain(F);
    const T tr = G(0, 0) + G(1, 1) + G(2, 2);
    return mu * squared_norm(G) + (0.5 * lambda) * tr * tr;  // (1)
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
      for (int j = 0; j < 3; ++j) G(i, j) = 0.5 * (i == j ? G(i, j) - 1.0 : G(i, j));
    }
    return G;
  }

  template <class T>
  Mat3<T> second_stress(const Mat3<T>& F) const {
    Mat3<T> S = green_strain(F);
    const T pressure = lambda * (S(0, 0) + S(1, 1) + S(2, 2));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) S(i, j) = (2 * mu) * S(i, j);
      S(i, i) += pressure;
    }
    return S;
  }
};

}  // namespace lilyan
