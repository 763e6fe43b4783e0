// A shared Hessian as one of PETSc's own matrices, with all of its blocks: for PETSc's preconditioners and for MUMPS.
#pragma once

#include <petscmat.h>

#include <span>
#include <string>
#include <vector>

#include "app/distributed/owned_rows.hpp"

namespace lilyan::distributed {

class FullMatrix {
 public:
  // Of a type of PETSc's, with blocks of 3×3. The rows must outlive this.
  FullMatrix(const OwnedRows& rows, const MpiDistribution& ranks, const std::string& type);
  ~FullMatrix();
  FullMatrix(const FullMatrix&) = delete;
  FullMatrix& operator=(const FullMatrix&) = delete;

  // From values of the pattern.
  void assign(std::span<const double> values);
  [[nodiscard]] Mat matrix() const { return matrix_; }

 private:
  // Where a block comes from (assemble/pattern.hpp).
  struct Source {
    int position;
    int length;
    enum class Kind : char { as_it_is, transposed, diagonal } kind;
  };
  const OwnedRows& rows_;
  std::vector<int> start_{0};
  std::vector<PetscInt> column_;
  std::vector<Source> source_;
  std::vector<double> row_;
  Mat matrix_ = nullptr;
};

}  // namespace lilyan::distributed
