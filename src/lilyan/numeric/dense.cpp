#include "lilyan/numeric/dense.hpp"

#include <Eigen/Eigenvalues>

namespace lilyan {

void DenseLu::compute(const DenseMatrix& a) { lu_.compute(a); }

void DenseLu::solve(const Vector& b, Vector& x) const { x = lu_.solve(b); }

DenseMatrix DenseLu::inverse() const { return lu_.inverse(); }

bool is_invertible(const DenseMatrix& a) { return Eigen::FullPivLU<DenseMatrix>(a).isInvertible(); }

double lowest_eigenvalue(const DenseMatrix& a) {
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(a, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

}  // namespace lilyan
