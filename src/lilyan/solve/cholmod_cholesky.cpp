// Supernodal Cholesky by CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008), ordered by nested
// dissection of the vertex graph. Compiled only with LILYAN_WITH_CHOLMOD: the Supernodal module is
// under the GPL, see LICENSE.
#include <amd.h>
#include <cholmod.h>
#include <dlfcn.h>
#include <metis.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan {
namespace {

// Below this many vertices minimum degree orders as well as nested dissection, and faster.
constexpr int kNestedDissectionVertices = 2000;

// CHOLMOD opens OpenMP regions of its own whatever the thread settings; on busy machines they cost
// many times what they gain. This keeps its calls on the calling thread.
class SingleThreaded {
 public:
  SingleThreaded() : levels_(omp_get_max_active_levels()) { omp_set_max_active_levels(0); }
  ~SingleThreaded() { omp_set_max_active_levels(levels_); }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;

 private:
  int levels_;
};

// Fill-reducing order of the vertices, each expanded to its three degrees of freedom.
std::vector<int> fill_reducing_order(const LowerPattern& pattern) {
  int n = pattern.nodes();
  std::vector<int> order(n);
  if (pattern.graph().empty()) {  // no vertex has a neighbour: AMD refuses the null pointer
    std::iota(order.begin(), order.end(), 0);
  } else if (n >= kNestedDissectionVertices) {
    static_assert(sizeof(idx_t) == sizeof(int));
    std::vector<int> start = pattern.graph_start();
    std::vector<int> graph = pattern.graph();
    std::vector<int> inverse(n);
    // METIS draws from rand(), of which a process has one: two at a time would disturb each other,
    // and a run would no longer give the same digits every time.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const int status = METIS_NodeND(&n, start.data(), graph.data(), nullptr, nullptr, order.data(),
                                    inverse.data());
    if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
    if (status != METIS_OK) throw Error("METIS could not order the mesh graph");
  } else {
    const int status = amd_order(n, pattern.graph_start().data(), pattern.graph().data(),
                                 order.data(), nullptr, nullptr);
    if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status < AMD_OK) throw Error("AMD could not order the mesh graph");
  }
  const int dim = pattern.block();
  std::vector<int> dofs(static_cast<std::size_t>(dim) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < dim; ++c) dofs[dim * i + c] = dim * order[i] + c;
  }
  return dofs;
}

class CholmodCholesky final : public LinearSolver {
 public:
  explicit CholmodCholesky(const LowerPattern& pattern) {
    const SingleThreaded guard;
    std::vector<int> order = fill_reducing_order(pattern);
    cholmod_start(&common_);
    common_.print = 0;
    common_.quick_return_if_not_posdef = 1;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    common_.postorder = 1;
    common_.nrelax[0] = 12;
    common_.nrelax[1] = 32;
    common_.nrelax[2] = 96;

    matrix_.nrow = matrix_.ncol = static_cast<std::size_t>(pattern.dofs());
    matrix_.nzmax = static_cast<std::size_t>(pattern.entries());
    // CHOLMOD's structs want mutable pointers; it does not write to the pattern.
    matrix_.p = const_cast<int*>(pattern.column_start().data());
    matrix_.nz = const_cast<int*>(pattern.column_size().data());
    matrix_.i = const_cast<int*>(pattern.row().data());
    matrix_.stype = -1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = CHOLMOD_PATTERN;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = 1;
    matrix_.packed = 0;

    factor_ = cholmod_analyze_p(&matrix_, order.data(), nullptr, 0, &common_);
    if (!factor_) {
      const bool memory = common_.status == CHOLMOD_OUT_OF_MEMORY;
      cholmod_finish(&common_);
      throw Error(memory ? "not enough memory for the sparse factor"
                         : "the sparse solver could not analyse the matrix");
    }
    matrix_.xtype = CHOLMOD_REAL;
    factor_flops_ = common_.fl;
    solve_flops_ = 4 * common_.lnz;
  }

  ~CholmodCholesky() override {
    cholmod_free_dense(&solution_, &common_);
    cholmod_free_dense(&work_y_, &common_);
    cholmod_free_dense(&work_e_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }

  bool factorise(std::span<const double> values) override {
    const SingleThreaded guard;
    const auto lock = lock_blas();
    matrix_.x = const_cast<double*>(values.data());
    cholmod_factorize(&matrix_, factor_, &common_);
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) {
      throw Error("not enough memory for the sparse factor");
    }
    return common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
  }

  void solve(const Vector& right_side, Vector& solution) override {
    const SingleThreaded guard;
    const auto lock = lock_blas();
    cholmod_dense b{};
    b.nrow = b.nzmax = b.d = static_cast<std::size_t>(right_side.size());
    b.ncol = 1;
    b.x = const_cast<double*>(right_side.data());
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    // solve2 keeps its result and workspace between calls. It would make them itself, but does not look
    // whether it got the memory.
    const auto provide = [&](cholmod_dense*& dense, std::size_t rows, std::size_t columns) {
      if (!dense) dense = cholmod_allocate_dense(rows, columns, rows, CHOLMOD_REAL, &common_);
      if (!dense) throw std::bad_alloc();
    };
    provide(solution_, b.nrow, 1);
    provide(work_y_, b.nrow, 1);
    provide(work_e_, 1, factor_->maxesize);
    if (!cholmod_solve2(CHOLMOD_A, factor_, &b, nullptr, &solution_, nullptr, &work_y_, &work_e_,
                        &common_)) {
      throw Error("the sparse solver failed to solve");
    }
    solution =
        Eigen::Map<const Vector>(static_cast<const double*>(solution_->x), right_side.size());
  }

  [[nodiscard]] std::string_view name() const override { return "cholmod-supernodal"; }
  [[nodiscard]] double factor_flops() const override { return factor_flops_; }
  [[nodiscard]] double solve_flops() const override { return solve_flops_; }

 private:
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense* solution_ = nullptr;
  cholmod_dense* work_y_ = nullptr;
  cholmod_dense* work_e_ = nullptr;
  double factor_flops_ = 0;
  double solve_flops_ = 0;
};

}  // namespace

std::string_view cholesky_library() { return "CHOLMOD"; }

// BLAS comes along with CHOLMOD, and only OpenBLAS tells about itself: both are asked for by name.
std::string blas_library() {
  const auto ask = [](const char* name) {
    using Tell = char* (*)();
    const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, name));
    return tell ? std::string(tell()) : std::string();
  };
  const std::string kernel = ask("openblas_get_corename");
  return ask("openblas_get_config") + (kernel.empty() ? "" : ", " + kernel);
}

void wake_blas() {
  using Multiply = void (*)(const char*, const char*, const int*, const int*, const int*,
                            const double*, const double*, const int*, const double*, const int*,
                            const double*, double*, const int*);
  const auto multiply = reinterpret_cast<Multiply>(dlsym(RTLD_DEFAULT, "dgemm_"));
  if (!multiply) return;
  // OpenBLAS asks for its buffer of 128 MB again and again until there is memory for it, so see first whether there is.
  constexpr std::size_t kBuffer = 136 << 20;
  if (dlsym(RTLD_DEFAULT, "openblas_get_config")) {
    void* const room = std::malloc(kBuffer);
    if (!room) throw std::bad_alloc();
    std::free(room);
  }
  constexpr int kSize = 64;  // small matrices may do without a buffer
  constexpr double kOne = 1;
  constexpr double kZero = 0;
  const std::vector<double> a(std::size_t{kSize} * kSize, 1.0);
  std::vector<double> c(a);
  multiply("N", "N", &kSize, &kSize, &kSize, &kOne, a.data(), &kSize, a.data(), &kSize, &kZero,
           c.data(), &kSize);
}

std::unique_ptr<LinearSolver> make_cholesky(const LowerPattern& pattern) {
  if (pattern.dofs() == 0) return make_eigen_cholesky(pattern);  // CHOLMOD refuses empty matrices
  return std::make_unique<CholmodCholesky>(pattern);
}

}  // namespace lilyan
