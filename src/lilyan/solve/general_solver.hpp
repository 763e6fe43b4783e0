// Sparse linear solves with matrices that need not be symmetric.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <string_view>

#include "lilyan/core/types.hpp"

namespace lilyan {

// Compressed columns.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

// LU factors of matrices that all have the same pattern.
class GeneralSolver {
 public:
  GeneralSolver() = default;
  GeneralSolver(const GeneralSolver&) = delete;
  GeneralSolver& operator=(const GeneralSolver&) = delete;
  virtual ~GeneralSolver() = default;

  // False when the matrix is singular; then solve() must not be called.
  [[nodiscard]] virtual bool factorise(const SparseMatrix& matrix) = 0;
  virtual void solve(const Vector& right_side, Vector& solution) = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
};

// UMFPACK where the build has SuiteSparse's GPL parts, otherwise Eigen's SparseLU.
[[nodiscard]] std::unique_ptr<GeneralSolver> make_lu();

}  // namespace lilyan
