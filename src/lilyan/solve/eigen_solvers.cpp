// Cholesky by Eigen: no dependency beyond Eigen (MPL 2), adequate for small and slender bodies. And
// sparse LU factors through Eigen's interface.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#ifdef LILYAN_WITH_CHOLMOD
#include <Eigen/UmfPackSupport>
#endif
#include <algorithm>
#include <numeric>

#include "lilyan/solve/linear_solver.hpp"

namespace lilyan {
namespace {

class EigenCholesky final : public LinearSolver {
 public:
  explicit EigenCholesky(const LowerPattern& pattern)
      : pattern_(pattern), matrix_(pattern.dofs(), pattern.dofs()) {
    matrix_.resizeNonZeros(pattern.entries());
    std::inclusive_scan(pattern.column_size().begin(), pattern.column_size().end(),
                        matrix_.outerIndexPtr() + 1);
    copy_columns(pattern.row().data(), matrix_.innerIndexPtr());
    std::fill_n(matrix_.valuePtr(), pattern.entries(), 0.0);
    factor_.analyzePattern(matrix_);
  }

  bool factorise(std::span<const double> values) override {
    copy_columns(values.data(), matrix_.valuePtr());
    factor_.factorize(matrix_);
    return factor_.info() == Eigen::Success;
  }

  void solve(const Vector& right_side, Vector& solution) override {
    solution = factor_.solve(right_side);
  }

  [[nodiscard]] std::string_view name() const override { return "eigen-simplicial"; }
  // Eigen does not tell before it factorises: what nested dissection of a compact body takes,
  // times ten for loops that are not blocked.
  [[nodiscard]] double factor_flops() const override {
    return 100.0 * static_cast<double>(matrix_.rows()) * static_cast<double>(matrix_.rows());
  }
  [[nodiscard]] double solve_flops() const override {
    return 40.0 * static_cast<double>(matrix_.nonZeros());
  }

 private:
  // One after the other, as Eigen wants them.
  template <class T>
  void copy_columns(const T* from, T* to) const {
    for (int c = 0; c < pattern_.dofs(); ++c) {
      to = std::copy_n(from + pattern_.column_start()[c], pattern_.column_size()[c], to);
    }
  }

  const LowerPattern& pattern_;
  SparseMatrix matrix_;
  Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower> factor_;
};

template <class Factor>
class SparseLu final : public GeneralSolver {
 public:
  explicit SparseLu(std::string_view name) : name_(name) {}

  bool factorise(const SparseMatrix& matrix) override {
    if (!analysed_) analyse(matrix);
    const auto lock = lock_blas();
    factor_.factorize(matrix);
    return factor_.info() == Eigen::Success;
  }
  void solve(const Vector& right_side, Vector& solution) override {
    const auto lock = lock_blas();
    solution = factor_.solve(right_side);
  }
  [[nodiscard]] std::string_view name() const override { return name_; }

 private:
  // UMFPACK looks at the values too. Without them the same pattern gives the same factors whichever matrix
  // came first.
  void analyse(SparseMatrix pattern) {
    pattern.coeffs().setOnes();
    factor_.analyzePattern(pattern);
    analysed_ = true;
  }

  Factor factor_;
  std::string_view name_;
  bool analysed_ = false;
};

}  // namespace

std::unique_lock<std::mutex> lock_blas() {
  static std::mutex one_at_a_time;
  return std::unique_lock(one_at_a_time);
}

std::unique_ptr<LinearSolver> make_eigen_cholesky(const LowerPattern& pattern) {
  return std::make_unique<EigenCholesky>(pattern);
}

#ifndef LILYAN_WITH_CHOLMOD
std::string_view cholesky_library() { return "Eigen"; }
std::string blas_library() { return {}; }
void wake_blas() {}
std::unique_ptr<LinearSolver> make_cholesky(const LowerPattern& pattern) {
  return make_eigen_cholesky(pattern);
}
#endif

std::unique_ptr<GeneralSolver> make_lu() {
#ifdef LILYAN_WITH_CHOLMOD
  return std::make_unique<SparseLu<Eigen::UmfPackLU<SparseMatrix>>>("umfpack lu");
#else
  return std::make_unique<SparseLu<Eigen::SparseLU<SparseMatrix>>>("eigen sparse lu");
#endif
}

}  // namespace lilyan
