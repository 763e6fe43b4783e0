// Sparse linear solves: with symmetric positive definite matrices, and with any others.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {

// A factorisation of a matrix with a fixed pattern. The symbolic phase happens at construction.
class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver() = default;

  // False when the matrix is not positive definite; then solve() must not be called.
  [[nodiscard]] virtual bool factorise(std::span<const double> values) = 0;
  virtual void solve(const Vector& right_side, Vector& solution) = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;

  // Operations of a factorisation and of a solve, roughly.
  [[nodiscard]] virtual double factor_flops() const = 0;
  [[nodiscard]] virtual double solve_flops() const = 0;
};

// The pattern must outlive the solver. CHOLMOD's supernodal Cholesky where the build has it,
// otherwise Eigen's simplicial one.
[[nodiscard]] std::unique_ptr<LinearSolver> make_cholesky(const LowerPattern& pattern);
// Eigen's, always available.
[[nodiscard]] std::unique_ptr<LinearSolver> make_eigen_cholesky(const LowerPattern& pattern);

// The library behind make_cholesky(), and the BLAS that it calls with the kernel this machine gets
// ("OpenBLAS 0.3.21 … Haswell"); empty where that is not known.
[[nodiscard]] std::string_view cholesky_library();
[[nodiscard]] std::string blas_library();
// Calls BLAS once. OpenBLAS takes its buffers at the first call, and where there is no memory left by then
// it tries for ever.
void wake_blas();

// To be held while a library calls BLAS. OpenBLAS for one thread keeps its buffers in common: two threads
// that solve at the same time, each a problem of its own, would write into each other's.
[[nodiscard]] std::unique_lock<std::mutex> lock_blas();

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
