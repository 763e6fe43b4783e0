// Invariants of strain that are exact near rest.
//
// Energies such as (μ/2)(I₁ − 3) − μ ln J are small differences of large terms there: computed as written they have
// an error of ε μ, which for a stiff material is more than the energy of its motion. With X = C − I = FᵀF − I,
//   I₁ − 3 = tr X,   I₂ − 3 = 2 tr X + II,   J² − 1 = tr X + II + det X,   II = ½((tr X)² − tr X²),   (1)
//   J − 1 = (J² − 1)/(1 + J),   ln J = ½ ln(1 + (J² − 1))                                            (2)
// are all functions of the same X, which is known to ε. That is an error of the strain, to which an energy near its
// minimum hardly responds; what is left is ε μ |X|.
#pragma once

#include <complex>

#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

// a where x > 0, b elsewhere.
template <class T>
inline T where_positive(const T& x, const T& a, const T& b) {
  return x > 0.0 ? a : b;
}
inline std::complex<double> where_positive(const std::complex<double>& x,
                                           const std::complex<double>& a,
                                           const std::complex<double>& b) {
  return x.real() > 0 ? a : b;
}

// ln(1 + x): the error of 1 + x, which its logarithm has, is that of (1 + x) − 1 as well (Kahan).
template <class T>
inline T log_of_one_plus(const T& x) {
  const T u = 1.0 + x;
  const T rounded = u - 1.0;
  return rounded == 0.0 ? x : log(u) * (x / rounded);
}
inline std::complex<double> log_of_one_plus(const std::complex<double>& x) {
  return std::log(1.0 + x);
}

template <class T>
struct StrainInvariants {
  T I1;        // I₁ − 3
  T I2;        // I₂ − 3
  T J;         // J
  T J_square;  // J² − 1

  explicit StrainInvariants(const Mat3<T>& F) : J(determinant(F)) {
    const Mat3<T> C = gram(F);
    const T x = C(0, 0) - 1.0;
    const T y = C(1, 1) - 1.0;
    const T z = C(2, 2) - 1.0;
    const T a = C(1, 2) * C(1, 2);
    const T b = C(0, 2) * C(0, 2);
    const T c = C(0, 1) * C(0, 1);
    I1 = x + y + z;
    const T II = y * z + x * z + x * y - (a + b + c);
    I2 = 2.0 * I1 + II;
    J_square =
        I1 + II + (x * y * z + 2.0 * (C(0, 1) * C(0, 2) * C(1, 2)) - (x * a + y * b + z * c));
  }

  // J − 1 and ln J: by (2) near rest, where they are small. Far from it J is as exact as J² − 1, and in strong
  // compression more so.
  [[nodiscard]] T volume() const { return near_rest(J_square / (1.0 + J), J - 1.0); }
  [[nodiscard]] T log_det() const { return near_rest(0.5 * log_of_one_plus(J_square), log(J)); }

 private:
  [[nodiscard]] T near_rest(const T& near, const T& far) const {
    return where_positive(J, where_positive(T(0.25 - J_square * J_square), near, far), far);
  }
};

}  // namespace lilyan
