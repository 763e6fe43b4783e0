// The part of a tangent that comes of J = det F, common to most materials.
#pragma once

#include "lilyan/core/mat3.hpp"

namespace lilyan {

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

}  // namespace lilyan
