// The part of a tangent that comes from J = det F, common to most materials.
#pragma once

#include "lilyan/assemble/vertex_blocks.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

// f′ and f″ of a volume energy f(J).
template <class T>
struct VolumeSlopes {
  T first;
  T second;
};

// a += second cof ⊗ cof + first ∂cof/∂F: what an energy f(J) with f′ = first and f″ = second adds,
// since ∂J/∂F = cof F.
template <class T>
void add_determinant_tangent(const Mat3<T>& F, const Mat3<T>& cof, const T& first, const T& second,
                             Sym9<T>& a) {
  for (int i = 0; i < 9; ++i) {
    const T scaled = second * cof(i / 3, i % 3);
    for (int j = i; j < 9; ++j) a.a[i][j] += scaled * cof(j / 3, j % 3);
  }
  // ∂cof_ij/∂F_kl = ε_ikm ε_jln F_mn: non-zero for k ≠ i, l ≠ j.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = i + 1; k < 3; ++k) {
        const int m = 3 - i - k;
        const double sign_row = (k - i == 1) ? 1.0 : -1.0;
        for (int l = 0; l < 3; ++l) {
          if (l == j) continue;
          const int n = 3 - j - l;
          const double sign_column = ((l - j + 3) % 3 == 1) ? 1.0 : -1.0;
          a.a[3 * i + j][3 * k + l] += (sign_row * sign_column) * (first * F(m, n));
        }
      }
    }
  }
}

// The same between the gradients of two vertices. With cᵃ = cof(F) gᵃ,
//   K_ab = second cᵃ cᵇᵀ + first [F(gᵃ×gᵇ)]×ᵀ,   ([u]×ᵀ)_ik = ε_ikm u_m:
// the second term, linear in F, meets the gradients once however many nodes are summed.
template <class T>
struct DeterminantBlocks {
  using V = VertexBlocks<T>;
  Mat3<T> first_F;          // Σ first F
  Mat3<T> c;                // of the last node; column a is cᵃ
  T weight;                 // its second
  EarlierNodes<T> earlier;  // their terms in cᵃ cᵇᵀ

  template <int kBefore>
  void add(const Mat3<T>& F, const Mat3<T>& cof, const T& first, const T& second,
           const Mat3<T>& G) {
    if constexpr (kBefore > 0) earlier.template add<kBefore == 1>(*this);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) accumulate<kBefore == 0>(first_F(i, j), first * F(i, j));
    }
    c = multiply_transposed(cof, G);
    weight = second;
  }

  template <bool kOne>
  void finish(const Mat3<T>& G, V& blocks) const {
    const Mat3<T> cross = cofactor(G);  // its row a is g^{a+1} × g^{a+2}, cyclically
    for (int a = 0; a < 3; ++a) {
      for (int e = 0; e < 6; ++e) {
        blocks.diagonal[a][e] = diagonal(a, e);
        if constexpr (!kOne) blocks.diagonal[a][e] += earlier.sum.diagonal[a][e];
      }
    }
    for (int n = 0; n < 3; ++n) {
      const int a = V::kAfter[n];
      const int b = V::kBefore[n];
      const int other = 3 - a - b;
      const double sign = (b - a + 3) % 3 == 1 ? 1.0 : -1.0;
      T u[3];
      for (int i = 0; i < 3; ++i) {
        u[i] = sign * (first_F(i, 0) * cross(other, 0) + first_F(i, 1) * cross(other, 1) +
                       first_F(i, 2) * cross(other, 2));
      }
      for (int e = 0; e < 9; ++e) {
        const int i = e % 3;
        const int k = e / 3;
        T v = below(n, e);
        if (k == (i + 1) % 3) v += u[(i + 2) % 3];
        if (k == (i + 2) % 3) v -= u[(i + 1) % 3];
        if constexpr (!kOne) v += earlier.sum.below[n][e];
        blocks.below[n][e] = v;
      }
    }
  }

  // Entries of the last node's second cᵃ cᵇᵀ.
  [[nodiscard]] T diagonal(int a, int e) const {
    return (weight * c(V::kRow[e], a)) * c(V::kColumn[e], a);
  }
  [[nodiscard]] T below(int n, int e) const {
    return (weight * c(e % 3, V::kAfter[n])) * c(e / 3, V::kBefore[n]);
  }
};

// Stress and tangent of an energy (μ/2) I₁ + f(J): P = μ F + f′ cof F,
// ∂P/∂F = μ I + f″ cof ⊗ cof + f′ ∂cof/∂F.
template <class Material, class T>
[[nodiscard]] Mat3<T> neo_hookean_stress(const Material& material, const Mat3<T>& F) {
  Mat3<T> P = cofactor(F);
  const T first = material.volume_slopes(determinant(F, P)).first;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) P(i, j) = material.mu * F(i, j) + first * P(i, j);
  }
  return P;
}

template <class Material, class T>
void add_neo_hookean_tangent(const Material& material, const Mat3<T>& F, const T& weight,
                             Sym9<T>& a) {
  const Mat3<T> cof = cofactor(F);
  const auto [first, second] = material.volume_slopes(determinant(F, cof));
  for (int i = 0; i < 9; ++i) a.a[i][i] += weight * material.mu;
  add_determinant_tangent(F, cof, weight * first, weight * second, a);
}

// Its tangent between the gradients of vertices.
template <class T>
struct NeoHookeanBlocks {
  DeterminantBlocks<T> volume;
  T shear;  // Σ w μ

  template <int kBefore, class Material>
  void add(const Material& material, const Mat3<T>& F, const Mat3<T>& G, const T& weight) {
    const Mat3<T> cof = cofactor(F);
    const auto [first, second] = material.volume_slopes(determinant(F, cof));
    accumulate<kBefore == 0>(shear, weight * material.mu);
    volume.template add<kBefore>(F, cof, weight * first, weight * second, G);
  }

  template <bool kOne>
  void finish(const Mat3<T>& G, VertexBlocks<T>& blocks) const {
    volume.template finish<kOne>(G, blocks);
    for (int a = 0; a < 3; ++a) {
      const T along = shear * row_product(G, a, a);
      for (const int e : {0, 3, 5}) blocks.diagonal[a][e] += along;
    }
    for (int n = 0; n < 3; ++n) {
      const T along =
          shear * row_product(G, VertexBlocks<T>::kAfter[n], VertexBlocks<T>::kBefore[n]);
      for (const int e : {0, 4, 8}) blocks.below[n][e] += along;
    }
  }
};

}  // namespace lilyan
