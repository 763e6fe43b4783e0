// Products with the rows of a shared Hessian, as one of PETSc's matrices (MATSHELL).
//
// As in solve/block_matrix.hpp, blocks off the diagonal are rounded to single precision, since products are limited by
// memory, and what that takes from a row's sum is put back into its diagonal block. The exchange of numbers at the
// borders goes on while the rest of the product is computed.
#pragma once

#include <petscmat.h>

#include <span>
#include <vector>

#include "app/distributed/owned_rows.hpp"

namespace lilyan::distributed {

class RowProduct {
 public:
  // The rows must outlive this.
  RowProduct(const OwnedRows& rows, const MpiDistribution& ranks);
  ~RowProduct();
  RowProduct(const RowProduct&) = delete;
  RowProduct& operator=(const RowProduct&) = delete;

  // From values of the pattern.
  void assign(std::span<const double> values);
  [[nodiscard]] Mat matrix() const { return matrix_; }

 private:
  // Blocks of each row, with columns of one array.
  struct Part {
    std::vector<int> start{0};
    std::vector<int> column;
    std::vector<int> source;    // the block among all of the rows
    std::vector<float> blocks;  // by columns, and one number more
    void multiply(int row, const double* x, double* y) const;
  };
  static PetscErrorCode apply(Mat matrix, Vec x, Vec y);
  void multiply(Vec x, Vec y);

  const OwnedRows& rows_;
  Part own_, others_;             // columns of this process, and of others
  std::vector<double> diagonal_;  // by columns, with three numbers more
  Mat matrix_ = nullptr;
  Vec halo_ = nullptr;
  VecScatter exchange_ = nullptr;
};

}  // namespace lilyan::distributed
