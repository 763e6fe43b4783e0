#include <Eigen/SparseLU>
#include <cmath>

#include "lilyan/solve/general_solver.hpp"
#ifdef LILYAN_WITH_CHOLMOD
#include <Eigen/UmfPackSupport>
#endif

namespace lilyan {
namespace {

template <class Factor>
class SparseLu final : public GeneralSolver {
 public:
  explicit SparseLu(std::string_view name) : name_(name) {}

  bool factorise(const SparseMatrix& matrix) override {
    if (!analysed_) factor_.analyzePattern(matrix);
    analysed_ = true;
    factor_.factorize(matrix);
    return factor_.info() == Eigen::Success;
  }
  void solve(const Vector& right_side, Vector& solution) override {
    solution = factor_.solve(right_side);
  }
  [[nodiscard]] std::string_view name() const override { return name_; }

 private:
  Factor factor_;
  std::string_view name_;
  bool analysed_ = false;
};

}  // namespace

std::unique_ptr<GeneralSolver> make_lu() {
#ifdef LILYAN_WITH_CHOLMOD
  return std::make_unique<SparseLu<Eigen::UmfPackLU<SparseMatrix>>>("umfpack lu");
#else
  return std::make_unique<SparseLu<Eigen::SparseLU<SparseMatrix>>>("eigen sparse lu");
#endif
}

}  // namespace lilyan
