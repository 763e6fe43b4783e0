// A step handed to PETSc: its vectors, and the matrix with both triangles.
//
// The matrix is written straight into PETSc's own arrays, so that little time is lost there.
#pragma once

#include <petscmat.h>

#include <stdexcept>

#include "step_problem.hpp"

namespace peers {

inline void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error(fmt::format("PETSc error {}", static_cast<int>(code)));
}

// What both kinds of solver have in common: the problem, and PETSc's vectors and matrix for it.
class PetscStep {
 public:
  PetscStep(const lilyan::Scene& scene, const lilyan::Scheme& scheme, double h, bool blocks)
      : problem(scene, scheme, h), d(problem.start()), g(problem.size()), blocks_(blocks) {
    const lilyan::FullPattern& p = problem.pattern();
    // The matrix is symmetric: its compressed columns are its compressed rows.
    start_.assign(p.column_start().begin(), p.column_start().end());
    column_.assign(p.row().begin(), p.row().end());
    const int n = problem.size();
    if (blocks) {
      std::vector<PetscInt> start{0}, column;
      for (int i = 0; i < n / 3; ++i) {
        for (int k = start_[3 * i]; k < start_[3 * i + 1]; k += 3) column.push_back(column_[k] / 3);
        start.push_back(static_cast<PetscInt>(column.size()));
      }
      check(MatCreate(PETSC_COMM_SELF, &matrix));
      check(MatSetSizes(matrix, n, n, n, n));
      check(MatSetType(matrix, MATSEQBAIJ));
      check(MatSetBlockSize(matrix, 3));
      check(MatSeqBAIJSetPreallocationCSR(matrix, 3, start.data(), column.data(), nullptr));
    } else {
      values_.assign(column_.size(), 0.0);
      check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, start_.data(), column_.data(),
                                      values_.data(), &matrix));
    }
    check(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    check(VecCreateSeq(PETSC_COMM_SELF, n, &x));
    check(VecDuplicate(x, &f));
  }
  ~PetscStep() {
    MatDestroy(&matrix);
    VecDestroy(&x);
    VecDestroy(&f);
  }
  PetscStep(const PetscStep&) = delete;
  PetscStep& operator=(const PetscStep&) = delete;

  static void read(Vec from, lilyan::Vector& to) {
    const PetscScalar* a = nullptr;
    VecGetArrayRead(from, &a);
    to = Eigen::Map<const lilyan::Vector>(a, to.size());
    VecRestoreArrayRead(from, &a);
  }
  static void write(const lilyan::Vector& from, Vec to) {
    PetscScalar* a = nullptr;
    VecGetArrayWrite(to, &a);
    Eigen::Map<lilyan::Vector>(a, from.size()) = from;
    VecRestoreArrayWrite(to, &a);
  }

  double evaluate(Vec at, Vec gradient) {
    read(at, d);
    const double phi = problem.evaluate(d, g);
    write(g, gradient);
    return phi;
  }
  void fill(Vec at, Mat m) {
    read(at, d);
    const std::vector<double>& lower = problem.hessian(d);
    const auto timer = problem.timer();
    PetscScalar* a = nullptr;
    if (blocks_) {
      problem_values_.resize(column_.size());
      problem.pattern().mirror(lower, problem_values_);
      MatSeqBAIJGetArray(m, &a);
      const double* from = problem_values_.data();
      for (std::size_t i = 0; i + 1 < start_.size(); i += 3) {
        const PetscInt length = start_[i + 1] - start_[i];
        for (int r = 0; r < 3; ++r) {
          for (PetscInt k = 0; k < length; ++k) a[3 * k + r] = *from++;  // blocks by columns
        }
        a += 3 * length;
      }
      a = nullptr;
      MatSeqBAIJRestoreArray(m, &a);
    } else {
      MatSeqAIJGetArray(m, &a);
      problem.pattern().mirror(lower, {a, column_.size()});
      MatSeqAIJRestoreArray(m, &a);
    }
    MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY);
  }
  bool arrived(Vec at, Vec gradient) {
    read(at, d);
    read(gradient, g);
    return problem.defect(d, g) <= 1;
  }

  StepProblem problem;
  lilyan::Vector d, g;
  Mat matrix = nullptr;
  Vec x = nullptr, f = nullptr;

 private:
  bool blocks_;
  std::vector<PetscInt> start_, column_;
  std::vector<double> values_, problem_values_;
};

}  // namespace peers
