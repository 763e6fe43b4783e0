// Decompositions of dense matrices, compiled once. Each of Eigen's takes seconds in every file that uses it.
#pragma once

#include <Eigen/LU>

#include "lilyan/base/types.hpp"

namespace lilyan {

using DenseMatrix = Eigen::MatrixXd;

// A = P⁻¹LU with partial pivoting. Matrices of the size given first are factored without allocating.
class DenseLu {
 public:
  explicit DenseLu(Eigen::Index size = 0) : lu_(size) {}

  void compute(const DenseMatrix& a);
  // x = A⁻¹ b. They may not be the same vector.
  void solve(const Vector& b, Vector& x) const;
  [[nodiscard]] DenseMatrix inverse() const;

 private:
  Eigen::PartialPivLU<DenseMatrix> lu_;
};

// Whether a matrix has full rank, to rounding.
bool is_invertible(const DenseMatrix& a);
// The lowest eigenvalue of a symmetric matrix, of which the lower triangle is read.
double lowest_eigenvalue(const DenseMatrix& a);

}  // namespace lilyan
