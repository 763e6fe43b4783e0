// The second Piola–Kirchhoff stress S(C) = 2 ∂ψ/∂C as a function of C = FᵀF, and its derivative,
// for any frame-indifferent material from the ψ(F), P(F), ∂P/∂F it has anyway.
//
// ψ does not see rotations, so any factor of C with a determinant of F's sign will do for F. With U
// the upper triangular Cholesky factor, UᵀU = C, its last row negated for an inverted element, and
// A = ∂P/∂F at U,
//   S  = U⁻¹ P(U)                                                                               (1)
//   dU = Φ(U⁻ᵀ dC U⁻¹) U,   Φ the upper triangle with halved diagonal                           (2)
//   dS = U⁻¹ (A : dU − dU S)                                                                    (3)
// Symmetric matrices are stored as six numbers in the order 00, 11, 22, 01, 02, 12.
#pragma once

#include "lilyan/core/lanes.hpp"
#include "lilyan/core/mat3.hpp"

namespace lilyan {

template <class T>
struct Sym3 {
  T s[6];

  static constexpr int index(int i, int j) { return i == j ? i : i + j + 2; }
  T& operator()(int i, int j) { return s[index(i, j)]; }
  const T& operator()(int i, int j) const { return s[index(i, j)]; }
};

// a : b, off-diagonal entries counting twice.
template <class T>
inline T contract(const Sym3<T>& a, const Sym3<T>& b) {
  return a.s[0] * b.s[0] + a.s[1] * b.s[1] + a.s[2] * b.s[2] +
         2.0 * (a.s[3] * b.s[3] + a.s[4] * b.s[4] + a.s[5] * b.s[5]);
}

// Symmetric part of aᵀb, twice: aᵀb + bᵀa.
template <class T>
inline Sym3<T> twice_symmetric(const Mat3<T>& a, const Mat3<T>& b) {
  Sym3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      T sum = T{};
      for (int k = 0; k < 3; ++k) sum += a(k, i) * b(k, j) + b(k, i) * a(k, j);
      r(i, j) = sum;
    }
  }
  return r;
}

// C's Cholesky factor U and its inverse, both upper triangular; not a number where C is not
// positive definite. `side` is 1, or −1 for the factor of an inverted element: S is a function of C
// on either side of flatness, and they are different functions where ψ notices inversion.
template <class T>
struct CholeskyFactor {
  Mat3<T> U = zero3<T>();
  Mat3<T> inverse = zero3<T>();

  CholeskyFactor(const Sym3<T>& C, const T& side) {
    U(0, 0) = sqrt(C(0, 0));
    inverse(0, 0) = 1.0 / U(0, 0);
    U(0, 1) = C(0, 1) * inverse(0, 0);
    U(0, 2) = C(0, 2) * inverse(0, 0);
    U(1, 1) = sqrt(C(1, 1) - U(0, 1) * U(0, 1));
    inverse(1, 1) = 1.0 / U(1, 1);
    U(1, 2) = (C(1, 2) - U(0, 1) * U(0, 2)) * inverse(1, 1);
    U(2, 2) = side * sqrt(C(2, 2) - U(0, 2) * U(0, 2) - U(1, 2) * U(1, 2));
    inverse(2, 2) = 1.0 / U(2, 2);
    inverse(0, 1) = -(U(0, 1) * inverse(1, 1)) * inverse(0, 0);
    inverse(1, 2) = -(U(1, 2) * inverse(2, 2)) * inverse(1, 1);
    inverse(0, 2) = -(U(0, 1) * inverse(1, 2) + U(0, 2) * inverse(2, 2)) * inverse(0, 0);
  }

  // U⁻ᵀ X U⁻¹ for symmetric X: a strain increment relative to C itself.
  [[nodiscard]] Sym3<T> relative(const Sym3<T>& X) const {
    Sym3<T> r;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        T sum = T{};
        for (int k = 0; k <= i; ++k) {
          for (int l = 0; l <= j; ++l) sum += inverse(k, i) * X(k, l) * inverse(l, j);
        }
        r(i, j) = sum;
      }
    }
    return r;
  }
};

template <class T>
inline Mat3<T> upper_multiply(const Mat3<T>& upper, const Mat3<T>& b) {
  Mat3<T> r = zero3<T>();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = i; k < 3; ++k) r(i, j) += upper(i, k) * b(k, j);
    }
  }
  return r;
}

// (1)
template <class Material, class T>
inline Sym3<T> second_stress(const Material& material, const CholeskyFactor<T>& factor) {
  const Mat3<T> full = upper_multiply(factor.inverse, material.stress(factor.U));
  Sym3<T> S;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) S(i, j) = 0.5 * (full(i, j) + full(j, i));
  }
  return S;
}

// Column n of a: S's change by a unit change of C's component n (for n ≥ 3 of both its entries).
template <class T>
struct StressByStrain {
  T a[6][6];
};

// weight A
template <class Material, class T>
inline Sym9<T> weighted_tangent(const Material& material, const CholeskyFactor<T>& factor,
                                double weight) {
  Sym9<T> A = zero9<T>();
  material.add_tangent(factor.U, constant<T>(weight), A);
  return A;
}

// d += weight dS/dC, by (2) and (3); A is the weighted tangent.
template <class T>
inline void add_stress_derivative(const Sym9<T>& A, const CholeskyFactor<T>& factor,
                                  const Sym3<T>& S, double weight, StressByStrain<T>& d) {
  for (int a = 0; a < 3; ++a) {
    for (int b = a; b < 3; ++b) {
      Sym3<T> dC;
      for (T& e : dC.s) e = T{};
      dC(a, b) = constant<T>(1.0);
      const Sym3<T> relative = factor.relative(dC);
      Mat3<T> phi = zero3<T>();
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) phi(i, j) = (i == j ? 0.5 : 1.0) * relative(i, j);
      }
      const Mat3<T> dU = upper_multiply(phi, factor.U);  // (2)
      Mat3<T> inner;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          T sum = T{};
          for (int k = 0; k < 3; ++k) {
            for (int l = k; l < 3; ++l) sum += A.at(3 * i + j, 3 * k + l) * dU(k, l);
            if (k >= i) sum -= weight * dU(i, k) * S(k, j);
          }
          inner(i, j) = sum;
        }
      }
      const Mat3<T> dS = upper_multiply(factor.inverse, inner);  // (3)
      const int n = Sym3<T>::index(a, b);
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) d.a[Sym3<T>::index(i, j)][n] += 0.5 * (dS(i, j) + dS(j, i));
      }
    }
  }
}

}  // namespace lilyan
