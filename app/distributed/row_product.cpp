#include "app/distributed/row_product.hpp"

#include <algorithm>

#include "lilyan/solve/block_matrix.hpp"

namespace lilyan::distributed {

RowProduct::RowProduct(const OwnedRows& rows, const MpiDistribution& ranks) : rows_(rows) {
  std::vector<PetscInt> halo;
  for (int k = 0; k < rows.begin(rows.rows()); ++k) {
    if (rows.own_column(k) < 0) halo.push_back(rows.column(k));
  }
  std::ranges::sort(halo);
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
  for (int row = 0; row < rows.rows(); ++row) {
    for (int k = rows.begin(row); k < rows.begin(row + 1); ++k) {
      const int own = rows.own_column(k);
      if (own == row) continue;
      Part& part = own >= 0 ? own_ : others_;
      part.source.push_back(k);
      part.column.push_back(
          own >= 0
              ? own
              : static_cast<int>(std::ranges::lower_bound(halo, rows.column(k)) - halo.begin()));
    }
    for (Part* part : {&own_, &others_})
      part->start.push_back(static_cast<int>(part->column.size()));
  }
  for (Part* part : {&own_, &others_}) part->blocks.resize(9 * part->column.size() + 1);
  diagonal_.resize(9 * static_cast<std::size_t>(rows.rows()) + 3);

  Vec x = nullptr;
  IS from = nullptr;
  const auto count = static_cast<PetscInt>(halo.size());
  check(MatCreateShell(ranks.communicator(), 3 * rows.rows(), 3 * rows.rows(), PETSC_DETERMINE,
                       PETSC_DETERMINE, this, &matrix_));
  check(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(apply)));
  check(MatCreateVecs(matrix_, &x, nullptr));
  check(VecCreateSeq(PETSC_COMM_SELF, 3 * count, &halo_));
  check(ISCreateBlock(PETSC_COMM_SELF, 3, count, halo.data(), PETSC_COPY_VALUES, &from));
  check(VecScatterCreate(x, from, halo_, nullptr, &exchange_));
  check(ISDestroy(&from));
  check(VecDestroy(&x));
}

RowProduct::~RowProduct() {
  VecScatterDestroy(&exchange_);
  VecDestroy(&halo_);
  MatDestroy(&matrix_);
}

void RowProduct::assign(std::span<const double> values) {
  for (int row = 0; row < rows_.rows(); ++row) {
    Eigen::Matrix3d diagonal = rows_.block(rows_.diagonal(row), values);
    for (Part* part : {&own_, &others_}) {
      for (int k = part->start[static_cast<std::size_t>(row)];
           k < part->start[static_cast<std::size_t>(row) + 1]; ++k) {
        const Eigen::Matrix3d block =
            rows_.block(part->source[static_cast<std::size_t>(k)], values);
        Eigen::Map<Eigen::Matrix3f> rounded(part->blocks.data() + 9 * std::ptrdiff_t{k});
        rounded = block.cast<float>();
        diagonal += block - rounded.cast<double>();
      }
    }
    // Symmetric, as the matrix has to be for conjugate gradients.
    Eigen::Map<Eigen::Matrix3d>(diagonal_.data() + 9 * std::ptrdiff_t{row}) =
        0.5 * (diagonal + diagonal.transpose());
  }
  check(
      MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));  // tells PETSc that it is another matrix now
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

inline void RowProduct::Part::multiply(int row, const double* x, double* y) const {
  Quad sum{y[0], y[1], y[2], 0};
  for (int k = start[static_cast<std::size_t>(row)]; k < start[static_cast<std::size_t>(row) + 1];
       ++k) {
    const double* from = x + 3 * std::ptrdiff_t{column[static_cast<std::size_t>(k)]};
    const float* block = blocks.data() + 9 * std::ptrdiff_t{k};
    for (int c = 0; c < 3; ++c) sum += load_quad(block + 3 * c) * from[c];
  }
  for (int c = 0; c < 3; ++c) y[c] = sum[c];
}

void RowProduct::multiply(Vec x, Vec y) {
  check(VecScatterBegin(exchange_, x, halo_, INSERT_VALUES, SCATTER_FORWARD));
  const double* from = nullptr;
  double* to = nullptr;
  check(VecGetArrayRead(x, &from));
  check(VecGetArrayWrite(y, &to));
  for (int row = 0; row < rows_.rows(); ++row) {
    Quad sum{};
    const double* block = diagonal_.data() + 9 * std::ptrdiff_t{row};
    for (int c = 0; c < 3; ++c) sum += load_quad(block + 3 * c) * from[3 * row + c];
    for (int c = 0; c < 3; ++c) to[3 * row + c] = sum[c];
    own_.multiply(row, from, to + 3 * std::ptrdiff_t{row});
  }
  check(VecScatterEnd(exchange_, x, halo_, INSERT_VALUES, SCATTER_FORWARD));
  const double* halo = nullptr;
  check(VecGetArrayRead(halo_, &halo));
  for (int row = 0; row < rows_.rows(); ++row) {
    others_.multiply(row, halo, to + 3 * std::ptrdiff_t{row});
  }
  check(VecRestoreArrayRead(halo_, &halo));
  check(VecRestoreArrayRead(x, &from));
  check(VecRestoreArrayWrite(y, &to));
}

PetscErrorCode RowProduct::apply(Mat matrix, Vec x, Vec y) {
  void* context = nullptr;
  PetscCall(MatShellGetContext(matrix, &context));
  static_cast<RowProduct*>(context)->multiply(x, y);
  return 0;
}

}  // namespace lilyan::distributed
