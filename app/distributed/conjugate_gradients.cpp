#include "app/distributed/conjugate_gradients.hpp"

#include <petsc/private/kspimpl.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/pcg.hpp"

namespace lilyan::distributed {
namespace {

struct Data {
  const double* mass = nullptr;
  const TwoLevel* preconditioner = nullptr;
  PetscLogEvent reduction = 0;
};

Data& data_of(KSP solver) { return *static_cast<Data*>(solver->data); }

// The numbers of this process, while it lives.
class Numbers {
 public:
  explicit Numbers(Vec vector) : vector_(vector) {
    check(VecGetArray(vector, &numbers_));
    PetscInt size = 0;
    check(VecGetLocalSize(vector, &size));
    size_ = static_cast<int>(size);
  }
  ~Numbers() { VecRestoreArray(vector_, &numbers_); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  [[nodiscard]] Eigen::Map<Vector> part(int first, int last) const {
    return {numbers_ + first, last - first};
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] double* data() const { return numbers_; }

 private:
  Vec vector_;
  double* numbers_ = nullptr;
  int size_ = 0;
};

// x += α p, r −= α s.
void advance(double alpha, Vec x_, Vec r_, Vec p_, Vec s_) {
  const Numbers x(x_), r(r_), p(p_), s(s_);
  parallel_ranges(x.size(), [&](int first, int last) {
    x.part(first, last) += alpha * p.part(first, last);
    r.part(first, last) -= alpha * s.part(first, last);
  });
}

// p = z + β p. Returns its inertia p·Mp in this process.
double new_direction(double beta, Vec z_, Vec p_, const double* mass) {
  const Numbers z(z_), p(p_);
  return parallel_sum(z.size() / 3, [&](int first, int last) {
    double inertia = 0;
    for (int i = first; i < last; ++i) {
      double square = 0;
      for (int k = 3 * i; k < 3 * i + 3; ++k) {
        const double next = z.data()[k] + beta * p.data()[k];
        p.data()[k] = next;
        square += next * next;
      }
      if (mass) inertia += mass[i] * square;
    }
    return inertia;
  });
}

double dot_here(Vec a_, Vec b_) {
  const Numbers a(a_), b(b_);
  return parallel_sum(
      a.size(), [&](int first, int last) { return a.part(first, last).dot(b.part(first, last)); });
}

template <std::size_t n>
std::array<double, n> sum_over_ranks(KSP solver, std::array<double, n> values) {
  const Logged logged(data_of(solver).reduction);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), n, MPI_DOUBLE, MPI_SUM,
                PetscObjectComm(reinterpret_cast<PetscObject>(solver)));
  return values;
}

// z = M⁻¹ r. Returns r·z.
double precondition(KSP solver, Vec r, Vec z) {
  check(KSP_PCApply(solver, r, z));
  const TwoLevel* ours = data_of(solver).preconditioner;
  return ours ? ours->product() : sum_over_ranks<1>(solver, {dot_here(r, z)})[0];
}

// What is left, for whoever wants to know, and whether that will do.
void report(KSP solver, PetscInt iteration, double square) {
  solver->its = iteration;
  solver->rnorm = solver->normtype == KSP_NORM_NONE ? 0 : std::sqrt(square);
  check(KSPLogResidualHistory(solver, solver->rnorm));
  check(KSPMonitor(solver, iteration, solver->rnorm));
  check((*solver->converged)(solver, iteration, solver->rnorm, &solver->reason, solver->cnvP));
}

void solve(KSP solver) {
  Mat matrix = nullptr;
  check(PCGetOperators(solver->pc, &matrix, nullptr));
  const Data& data = data_of(solver);
  const Vec x = solver->vec_sol;
  const Vec r = solver->work[0];
  const Vec z = solver->work[1];
  const Vec p = solver->work[2];
  const Vec s = solver->work[3];
  if (solver->guess_zero) {
    check(VecCopy(solver->vec_rhs, r));
  } else {
    check(KSP_MatMult(solver, matrix, x, r));
    check(VecAYPX(r, -1, solver->vec_rhs));
  }
  check(VecSet(p, 0));
  double beta = 0;
  double norm = precondition(solver, r, z);  // squared
  for (PetscInt iteration = 0;; ++iteration) {
    if (!(norm >= 0)) {
      solver->reason = std::isnan(norm) ? KSP_DIVERGED_NANORINF : KSP_DIVERGED_INDEFINITE_PC;
      return;
    }
    report(solver, iteration, norm);
    if (solver->reason) return;
    if (iteration >= solver->max_it) {
      solver->reason = KSP_DIVERGED_ITS;
      return;
    }
    const double inertia_here = new_direction(beta, z, p, data.mass);
    check(KSP_MatMult(solver, matrix, p, s));
    const auto [curvature, inertia] = sum_over_ranks<2>(solver, {dot_here(p, s), inertia_here});
    if (!(curvature > kLeastCurvature * inertia)) {
      solver->reason = KSP_DIVERGED_INDEFINITE_MAT;
      if (inertia > 0 && std::isfinite(curvature)) {
        solver->its = iteration + 1;
        advance(norm / std::max(inertia, std::abs(curvature)), x, r, p, s);
      }
      return;
    }
    advance(norm / curvature, x, r, p, s);
    const double next = precondition(solver, r, z);
    beta = next / norm;
    norm = next;
  }
}

PetscErrorCode set_up(KSP solver) { return KSPSetWorkVecs(solver, 4); }

PetscErrorCode solve_once(KSP solver) {
  solve(solver);
  return 0;
}

PetscErrorCode destroy(KSP solver) {
  delete &data_of(solver);
  solver->data = nullptr;
  return 0;
}

PetscErrorCode create(KSP solver) {
  auto* data = new Data;
  solver->data = data;
  PetscCall(PetscLogEventRegister("CGReduction", KSP_CLASSID, &data->reduction));
  PetscCall(KSPSetSupportedNorm(solver, KSP_NORM_NATURAL, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(solver, KSP_NORM_NONE, PC_LEFT, 1));
  solver->ops->setup = set_up;
  solver->ops->solve = solve_once;
  solver->ops->destroy = destroy;
  solver->ops->buildsolution = KSPBuildSolutionDefault;
  solver->ops->buildresidual = KSPBuildResidualDefault;
  return 0;
}

}  // namespace

void register_conjugate_gradients() { check(KSPRegister(kConjugateGradients, create)); }

bool has_conjugate_gradients(KSP solver) {
  PetscBool ours = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), kConjugateGradients, &ours));
  return ours == PETSC_TRUE;
}

void set_inertia(KSP solver, const double* mass, const TwoLevel* preconditioner) {
  data_of(solver).mass = mass;
  data_of(solver).preconditioner = preconditioner;
}

}  // namespace lilyan::distributed
