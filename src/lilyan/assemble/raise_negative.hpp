// Making the Hessian of one small element positive semidefinite.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>

namespace lilyan {

// Whether a + shift·I has a Cholesky factor.
template <int N>
[[nodiscard]] bool is_definite(const Eigen::Matrix<double, N, N>& a, double shift) {
  Eigen::Matrix<double, N, N> l = a;
  l.diagonal().array() += shift;
  for (int k = 0; k < N; ++k) {
    if (!(l(k, k) > 0)) return false;
    for (int i = k + 1; i < N; ++i) {
      const double factor = l(i, k) / l(k, k);
      for (int j = k + 1; j <= i; ++j) l(i, j) -= factor * l(j, k);
    }
  }
  return true;
}

// Raises the negative eigenvalues e of a symmetric matrix to (1 − strength) e: strength 1 gives the
// nearest positive semidefinite matrix. One without negative eigenvalues is left as it is, bit for
// bit; rounding is not taken for one, since stress-free elements are singular.
template <int N>
void raise_negative(Eigen::Matrix<double, N, N>& a, double strength) {
  double size = 0;
  for (int k = 0; k < N; ++k) size += std::abs(a(k, k));
  if (is_definite<N>(a, 1e-10 * size)) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen(a);
  for (int k = 0; k < N; ++k) {
    const double e = eigen.eigenvalues()[k];
    if (!(e < 0)) break;  // ascending
    const auto v = eigen.eigenvectors().col(k);
    a -= (strength * e) * v * v.transpose();
  }
}

}  // namespace lilyan
