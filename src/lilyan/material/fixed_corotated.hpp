// Fixed corotated:
//   ψ = μ‖F − R‖² + (λ/2)(J − 1)²,  R the rotation nearest to F,  J = det F.                    (1)
//
// Stomakhin, Howes, Schroeder, Teran: Energetically consistent invertible elasticity, SCA 2012.
//
// Linear elasticity that follows the rotation. Finite for every F; for inverted ones R is still a
// proper rotation (4), so that an element is pushed back the short way. R is the
// maximiser of tr(RᵀF), so it does not show in the first derivative:
//   P = 2μ(F − R) + λ(J−1) cof F                                                                (2)
//   ∂P/∂F = 2μ(I − ∂R/∂F) + λ cof ⊗ cof + λ(J−1) ∂cof/∂F                                        (3)
//
// Not smooth where the two smallest singular values, the last with the sign of J, add up to zero:
// there R jumps between two rotations, ψ has a crease, and (3) has an eigenvalue 2μ(1 − 2/(σⱼ+σₖ))
// that tends to −∞. It takes σⱼ+σₖ for at least 1e-8, to stay finite. At F with positive
// determinant this does not happen.
//
// R maximises tr(RᵀF) over the proper rotations. For det F > 0 it is the polar factor of F; for
// det F < 0 it is the U Vᵀ of the singular value decomposition in which the smallest singular value
// is given the negative sign. With R as a quadratic form B(q, q) of a unit quaternion q,
//   tr(RᵀF) = qᵀ K q                                                                            (4)
// (Horn: Closed-form solution of absolute orientation using unit quaternions, JOSA A 4, 1987), so
// that q is the eigenvector q₀ of the largest eigenvalue λ₀ of the symmetric 4×4 matrix K. The
// eigenvalues are λ₀ = σ₁+σ₂+σ₃ and λᵢ = λ₀ − 2(σⱼ+σₖ), whatever the singular values: repeated ones
// do no harm, and R is smooth unless the two smallest, with their signs, add up to zero. From the
// perturbation of eigenvectors,
//   dR = Σᵢ Bᵢ (Bᵢ : dF)/(σⱼ+σₖ),   Bᵢ = B(q₀, qᵢ),  i = 1, 2, 3.                               (5)
#pragma once

#include <cmath>

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"
#include "lilyan/numeric/rounded.hpp"

namespace lilyan {

// Eigenvalues of K, the largest first, and their eigenvectors q[i].
template <class T>
struct RotationFrame {
  T value[4];
  T q[4][4];
};

// The symmetric bilinear form B(p, q) with R = B(q, q), q = (w, x, y, z).
template <class T>
inline Mat3<T> rotation_form(const T (&p)[4], const T (&q)[4]) {
  const T ww = p[0] * q[0], xx = p[1] * q[1], yy = p[2] * q[2], zz = p[3] * q[3];
  const T wx = p[0] * q[1] + p[1] * q[0], wy = p[0] * q[2] + p[2] * q[0];
  const T wz = p[0] * q[3] + p[3] * q[0], xy = p[1] * q[2] + p[2] * q[1];
  const T xz = p[1] * q[3] + p[3] * q[1], yz = p[2] * q[3] + p[3] * q[2];
  return {{{ww + xx - yy - zz, xy - wz, xz + wy},
           {xy + wz, ww - xx + yy - zz, yz - wx},
           {xz - wy, yz + wx, ww - xx - yy + zz}}};
}

// A turn in the plane of p and q that zeroes d[p][q] of the symmetric matrix d, and turns the frame along.
template <class T>
inline void turn_frame(T (&d)[4][4], RotationFrame<T>& r, int p, int q) {
  const T zero = T{};
  // tan t of the angle that zeroes d[p][q]: the smaller root of t² + 2(δ/a)t − 1 = 0, written
  // such that neither a = 0 nor δ = 0 needs a division by it.
  const T a = d[p][q];
  const T delta = 0.5 * (d[q][q] - d[p][p]);
  const T root = sqrt(delta * delta + a * a);
  const T sum = delta < zero ? delta - root : delta + root;
  const T t = sum == zero ? zero : a / sum;
  const T c = 1.0 / sqrt(t * t + 1.0);
  const T s = t * c;
  d[p][p] -= t * a;
  d[q][q] += t * a;
  d[p][q] = zero;
  for (int k = 0; k < 4; ++k) {
    if (k != p && k != q) {
      T& kp = k < p ? d[k][p] : d[p][k];
      T& kq = k < q ? d[k][q] : d[q][k];
      const T old = kp;
      kp = c * old - s * kq;
      kq = s * old + c * kq;
    }
    const T old = r.q[p][k];
    r.q[p][k] = c * old - s * r.q[q][k];
    r.q[q][k] = s * old + c * r.q[q][k];
  }
}

// Jacobi's cyclic rotations on K, all lanes at once (Golub, Van Loan: Matrix Computations, §8.5).
template <class T>
inline RotationFrame<T> rotation_frame(const Mat3<T>& F) {
  constexpr int kMaxSweeps = 10;
  // Off-diagonal mass, relative to the whole, that moves no eigenvector by more than rounding.
  constexpr double kOffDiagonal = 1e-33;
  T d[4][4];  // the upper triangle
  d[0][0] = F(0, 0) + F(1, 1) + F(2, 2);
  d[1][1] = F(0, 0) - F(1, 1) - F(2, 2);
  d[2][2] = F(1, 1) - F(0, 0) - F(2, 2);
  d[3][3] = F(2, 2) - F(0, 0) - F(1, 1);
  d[0][1] = F(2, 1) - F(1, 2);
  d[0][2] = F(0, 2) - F(2, 0);
  d[0][3] = F(1, 0) - F(0, 1);
  d[1][2] = F(0, 1) + F(1, 0);
  d[1][3] = F(0, 2) + F(2, 0);
  d[2][3] = F(1, 2) + F(2, 1);  // (4)
  RotationFrame<T> r;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) r.q[i][j] = constant<T>(i == j ? 1.0 : 0.0);
  }
  const T whole = 4.0 * squared_norm(F);  // ‖K‖²
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    T off = T{};
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) off += d[i][j] * d[i][j];
    }
    if (!any_lane(off > kOffDiagonal * whole)) break;
    for (int p = 0; p < 4; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        turn_frame(d, r, p, q);
      }
    }
  }
  for (int i = 0; i < 4; ++i) r.value[i] = d[i][i];
  for (int i = 1; i < 4; ++i) {
    const auto larger = r.value[i] > r.value[0];
    const auto exchange = [&](T& a, T& b) {
      const T old = a;
      a = larger ? b : old;
      b = larger ? old : b;
    };
    exchange(r.value[0], r.value[i]);
    for (int k = 0; k < 4; ++k) exchange(r.q[0][k], r.q[i][k]);
  }
  return r;
}

// R of a frame; its quaternion is made a unit one, which many rotations have left only nearly so.
template <class T>
inline Mat3<T> rotation_of(const RotationFrame<T>& frame) {
  const T(&q)[4] = frame.q[0];
  const T scale = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  Mat3<T> R = rotation_form(q, q);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) = scale * R(i, j);
  }
  return R;
}

// R alone. Where no lane is inverted or nearly flat, Newton's iteration for the polar factor,
//   X ← ½(X + X⁻ᵀ),  X⁻ᵀ = cof X/det X,                                                         (6)
// from F scaled to det 1, is several times as fast (Higham: Functions of Matrices, SIAM 2008,
// §8.3); its convergence is quadratic.
template <class T>
inline Mat3<T> nearest_rotation(const Mat3<T>& F) {
  constexpr int kMaxSteps = 12;
  constexpr double kFlat = 0.02;     // J beside the J of a cube with the same ‖F‖
  constexpr double kChange = 1e-16;  // squared: the step after one of 1e-8 has reached rounding
  const T J = determinant(F);
  const T square = squared_norm(F) * (1.0 / 3);
  const T least = kFlat * square * sqrt(square);
  if (any_lane(!(J > least))) return rotation_of(rotation_frame(F));
  const T scale = inverse_cube_root(J);
  Mat3<T> X;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X(i, j) = scale * F(i, j);
  }
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3<T> cof = cofactor(X);
    const T half = 0.5 / determinant(X, cof);
    T change = T{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const T by = half * cof(i, j) - 0.5 * X(i, j);
        X(i, j) += by;  // (6)
        change += by * by;
      }
    }
    if (!any_lane(change > kChange)) break;
  }
  return X;
}

// R of an F with errors. From (5) dR is dF divided by σⱼ+σₖ; both ways to R are backward stable. (Following
// the errors through the iterations would multiply them at every one, though these correct themselves.)
inline Mat3<Rounded> nearest_rotation(const Mat3<Rounded>& F) {
  constexpr double kStable = 16 * kUnitRoundoff;
  Mat3<double> value;
  double size = 0, error = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      value(i, j) = F(i, j).value;
      size += F(i, j).value * F(i, j).value;
      error += F(i, j).error * F(i, j).error;
    }
  }
  const RotationFrame<double> frame = rotation_frame(value);
  double least = 0.5 * (frame.value[0] - frame.value[1]);
  for (int n = 2; n < 4; ++n) least = std::fmin(least, 0.5 * (frame.value[0] - frame.value[n]));
  const double off = 2 * (std::sqrt(error) + kStable * std::sqrt(size)) / least + kStable;
  const Mat3<double> R = nearest_rotation(value);
  Mat3<Rounded> result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result(i, j) = {R(i, j), off};
  }
  return result;
}

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
  [[nodiscard]] static MaterialInfo info() {
    return {
        .name = "fixed-corotated",
        .summary = "linear elasticity that follows the rotation; finite at inversion",
        .citation = "Stomakhin, Howes, Schroeder, Teran 2012",
        .formula = "ψ = μ‖F − R‖² + (λ/2)(J − 1)²,  R the rotation nearest to F",
        .use = "stiff bodies with small strains and large rotations; inverted elements come back",
        .inverts = true,
        .parameters = lame_parameters(),
        .make = [](const TetShape& shape, const Parameters& given) {
          const auto [mu, lambda] = lame(given);
          return make_tets(FixedCorotated{mu, lambda}, shape);
        }};
  }
};

}  // namespace lilyan
