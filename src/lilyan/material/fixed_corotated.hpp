// Fixed corotated:
//   ψ = μ‖F − R‖² + (λ/2)(J − 1)²,  R the rotation nearest to F,  J = det F.                    (1)
//
// Stomakhin, Howes, Schroeder, Teran: Energetically consistent invertible elasticity, SCA 2012.
//
// Linear elasticity that follows the rotation. Finite for every F; for inverted ones R is still a
// proper rotation (detail/rotation.hpp), so that an element is pushed back the short way. R is the
// maximiser of tr(RᵀF), so it does not show in the first derivative:
//   P = 2μ(F − R) + λ(J−1) cof F                                                                (2)
//   ∂P/∂F = 2μ(I − ∂R/∂F) + λ cof ⊗ cof + λ(J−1) ∂cof/∂F                                        (3)
//
// Not smooth where the two smallest singular values, the last with the sign of J, add up to zero:
// there R jumps between two rotations, ψ has a crease, and (3) has an eigenvalue 2μ(1 − 2/(σⱼ+σₖ))
// that tends to −∞. It takes σⱼ+σₖ for at least 1e-8, to stay finite. At F with positive
// determinant this does not happen.
#pragma once

#include "lilyan/core/mat3.hpp"
#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/detail/rotation.hpp"

namespace lilyan {

struct FixedCorotated {
  double mu;
  double lambda;

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    Mat3<T> difference = nearest_rotation(F);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) difference(i, j) = F(i, j) - difference(i, j);
    }
    const T volume = determinant(F) - 1.0;
    return mu * squared_norm(difference) + (0.5 * lambda) * volume * volume;  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    Mat3<T> P = nearest_rotation(F);
    const Mat3<T> cof = cofactor(F);
    const T first = lambda * (determinant(F, cof) - 1.0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) P(i, j) = (2 * mu) * (F(i, j) - P(i, j)) + first * cof(i, j);
    }
    return P;  // (2)
  }

  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    constexpr double kLeastSum = 1e-8;
    const RotationFrame<T> frame = rotation_frame(F);
    const T w = (2 * mu) * weight;
    for (int i = 0; i < 9; ++i) a.a[i][i] += w;
    for (int n = 1; n < 4; ++n) {
      const T sum = 0.5 * (frame.value[0] - frame.value[n]);
      const T scale = w / (sum < kLeastSum ? constant<T>(kLeastSum) : sum);
      const Mat3<T> B = rotation_form(frame.q[0], frame.q[n]);
      for (int i = 0; i < 9; ++i) {
        const T scaled = scale * B(i / 3, i % 3);
        for (int j = i; j < 9; ++j) a.a[i][j] -= scaled * B(j / 3, j % 3);
      }
    }
    const Mat3<T> cof = cofactor(F);
    const T wl = lambda * weight;
    add_determinant_tangent(F, cof, wl * (determinant(F, cof) - 1.0), wl, a);  // (3)
  }
};

}  // namespace lilyan
