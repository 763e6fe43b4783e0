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

#include <algorithm>

#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"
#include "lilyan/numeric/unrolled.hpp"

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

// ∂S_m/∂C_n, n standing for one entry of C alone where there are two; symmetric, its upper triangle stored.
template <class T>
struct StressByStrain {
  T a[6][6];

  [[nodiscard]] const T& at(int m, int n) const { return m <= n ? a[m][n] : a[n][m]; }
  // S's change by a change of C, which may be in lanes.
  template <class P>
  [[nodiscard]] Sym3<P> times(const Sym3<P>& dC) const {
    Sym3<P> dS{};
    for (int m = 0; m < 6; ++m) {
      for (int n = 0; n < 6; ++n) dS.s[m] += (n < 3 ? 1.0 : 2.0) * at(m, n) * dC.s[n];
    }
    return dS;
  }
};

// weight A
template <class Material, class T>
inline Sym9<T> weighted_tangent(const Material& material, const CholeskyFactor<T>& factor,
                                double weight) {
  Sym9<T> A = zero9<T>();
  material.add_tangent(factor.U, constant<T>(weight), A);
  return A;
}

namespace strain_stress {

// Places of entries (i,j), i ≤ j, in an order in which U⁻¹ is triangular.
constexpr int place(int i, int j) { return i == 0 ? j : i + j + 1; }

// τ = weight · U S Uᵀ
template <class T>
inline Mat3<T> pushed_stress(const Mat3<T>& U, const Sym3<T>& S, double weight) {
  Mat3<T> tau;
  unrolled<3>([&](auto i) {
    T row[3];
    unrolled<3>([&](auto l) {
      T sum = T{};
      unrolled<i, 3>([&](auto k) { sum += U(i, k) * (k < l ? S(k, l) : S(l, k)); });
      row[l] = sum;
    });
    unrolled<3>([&](auto j) {
      T sum = T{};
      unrolled<j, 3>([&](auto l) { sum += row[l] * U(j, l); });
      tau(i, j) = weight * sum;
    });
  });
  return tau;
}

// ∂T/∂E of one entry of E alone. Every Ã_ijkl with k ≤ l is computed once; T's entries (i,j) and (j,i) are
// averaged.
template <class T>
inline void add_relative(const Sym9<T>& A, const Mat3<T>& U, const Mat3<T>& tau,
                         T (&relative)[6][6]) {
  unrolled<3>([&](auto i) {
    unrolled<3>([&](auto k) {
      T half[3][3];
      unrolled<3>([&](auto j) {
        unrolled<k, 3>([&](auto n) {
          T sum = T{};
          unrolled<j, 3>([&](auto m) { sum += U(j, m) * A.at(3 * i + m, 3 * k + n); });
          half[j][n] = sum;
        });
      });
      unrolled<3>([&](auto j) {
        constexpr int m = i < j ? place(i, j) : place(j, i);
        unrolled<k, 3>([&](auto l) {
          T sum = T{};
          unrolled<l, 3>([&](auto n) { sum += half[j][n] * U(l, n); });
          if constexpr (i == k) sum -= tau(l, j);
          relative[m][place(k, l)] += (i == j ? 0.5 : 0.25) * sum;
        });
      });
    });
  });
}

// dS = U⁻¹ T U⁻ᵀ as a matrix, upper triangular.
template <class T>
inline void pull_back(const Mat3<T>& V, T (&back)[6][6]) {
  unrolled<3>([&](auto i) {
    unrolled<i, 3>([&](auto j) {
      unrolled<3>([&](auto k) {
        unrolled<k, 3>([&](auto l) {
          constexpr int m = place(i, j);
          constexpr int n = place(k, l);
          if constexpr (n >= m) {
            back[m][n] = V(i, k) * V(j, l);
            if constexpr (k != l) back[m][n] += V(i, l) * V(j, k);
          }
        });
      });
    });
  });
}

}  // namespace strain_stress

// d += weight dS/dC; A is the weighted tangent. With T = U dS Uᵀ and E = U⁻ᵀ dC U⁻¹, (2) and (3) are
//   T = Ã : Φ − Φ τ,   Ã_ijkl = Σ U_jm A_imkn U_ln,   τ = U S Uᵀ,                               (4)
// symmetric as a map of E, since energy does not see rotations.
template <class T>
inline void add_stress_derivative(const Sym9<T>& A, const CholeskyFactor<T>& factor,
                                  const Sym3<T>& S, double weight, StressByStrain<T>& d) {
  using strain_stress::place;
  const Mat3<T> tau = strain_stress::pushed_stress(factor.U, S, weight);
  T relative[6][6];
  unrolled<6>([&](auto m) { unrolled<6>([&](auto n) { relative[m][n] = T{}; }); });
  strain_stress::add_relative(A, factor.U, tau, relative);
  T back[6][6];
  strain_stress::pull_back(factor.inverse, back);
  unrolled<3>([&](auto i) {
    unrolled<i, 3>([&](auto j) {
      constexpr int m = place(i, j);
      T row[6];
      unrolled<m, 6>([&](auto q) {
        T sum = T{};
        unrolled<m, 6>([&](auto p) { sum += back[m][p] * relative[p][q]; });
        row[q] = sum;
      });
      unrolled<3>([&](auto k) {
        unrolled<k, 3>([&](auto l) {
          constexpr int n = place(k, l);
          if constexpr (n >= m) {
            T sum = T{};
            unrolled<n, 6>([&](auto q) { sum += row[q] * back[n][q]; });
            constexpr int to = Sym3<T>::index(i, j);
            constexpr int from = Sym3<T>::index(k, l);
            d.a[std::min(to, from)][std::max(to, from)] += sum;
          }
        });
      });
    });
  });
}

// d += weight dS for one change of C, by (2) and (3); A is the weighted tangent.
template <class T>
inline void add_stress_change(const Sym9<T>& A, const CholeskyFactor<T>& factor, const Sym3<T>& S,
                              double weight, const Sym3<T>& dC, Sym3<T>& d) {
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
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) d(i, j) += 0.5 * (dS(i, j) + dS(j, i));
  }
}

}  // namespace lilyan
