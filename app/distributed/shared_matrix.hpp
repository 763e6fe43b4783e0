// A shared Hessian for products with vectors, as one of PETSc's matrices (MATSHELL).
//
// Each process has its rows in a BlockMatrix: half of the blocks between its own vertices, rounded to single precision, and
// those with vertices of others. The exchange of numbers at the borders goes on while the rest of a product is computed.
#pragma once

#include <petscmat.h>

#include <span>

#include "app/distributed/owned_rows.hpp"
#include "lilyan/solve/block_matrix.hpp"

namespace lilyan::distributed {

class SharedMatrix {
 public:
  // The rows must outlive this.
  SharedMatrix(const OwnedRows& rows, const MpiDistribution& ranks);
  ~SharedMatrix();
  SharedMatrix(const SharedMatrix&) = delete;
  SharedMatrix& operator=(const SharedMatrix&) = delete;

  // From values of the pattern.
  void assign(std::span<const double> values, BlockMatrix::Digits digits);
  [[nodiscard]] Mat matrix() const { return matrix_; }
  // A vector with room for copies of others' numbers. Products with others need a copy of all of it.
  [[nodiscard]] Vec make_vector() const;
  [[nodiscard]] const BlockMatrix& here() const { return here_; }

 private:
  static PetscErrorCode apply(Mat matrix, Vec x, Vec y);
  void multiply(Vec x, Vec y);

  BlockMatrix here_;
  Mat matrix_ = nullptr;
  Vec x_ = nullptr;  // with room
  PetscLogEvent exchange_ = 0;
};

}  // namespace lilyan::distributed
