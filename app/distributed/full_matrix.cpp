#include "app/distributed/full_matrix.hpp"

#include <algorithm>

namespace lilyan::distributed {

FullMatrix::FullMatrix(const OwnedRows& rows, const MpiDistribution& ranks, const std::string& type)
    : rows_(rows) {
  const BlockPattern& pattern = rows.pattern();
  std::vector<int> place(static_cast<std::size_t>(pattern.nodes()));
  for (int k = 0; k < rows.places(); ++k) place[rows.node(k)] = k;
  std::vector<PetscInt> near,
      far;  // blocks of each row with vertices of this process, and of others
  std::size_t most = 0;
  for (int row = 0; row < rows.rows(); ++row) {
    const int a = rows.node(row);
    near.push_back(0);
    far.push_back(0);
    const auto add = [&](int b) {
      ++(place[b] < rows.rows() ? near : far).back();
      column_.push_back(rows.number(place[b]));
      source_.push_back({.position = pattern.block_position(std::max(a, b), std::min(a, b)),
                         .length = pattern.column_length(std::min(a, b)),
                         .kind = a == b  ? Source::Kind::diagonal
                                 : a > b ? Source::Kind::as_it_is
                                         : Source::Kind::transposed});
    };
    add(a);
    for (int e = pattern.graph_start()[a]; e < pattern.graph_start()[a + 1]; ++e) {
      add(pattern.graph()[e]);
    }
    start_.push_back(static_cast<int>(column_.size()));
    most = std::max(most, column_.size() - static_cast<std::size_t>(start_[row]));
  }
  row_.resize(9 * most);
  const PetscInt own = 3 * rows.rows();
  check(MatCreate(ranks.communicator(), &matrix_));
  check(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetBlockSize(matrix_, 3));
  check(MatSetType(matrix_, type.c_str()));
  check(MatXAIJSetPreallocation(matrix_, 3, near.data(), far.data(), nullptr, nullptr));
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
}

FullMatrix::~FullMatrix() { MatDestroy(&matrix_); }

void FullMatrix::assign(std::span<const double> values) {
  for (int row = 0; row < rows_.rows(); ++row) {
    const int begin = start_[row];
    const int blocks = start_[row + 1] - begin;
    for (int k = 0; k < blocks; ++k) {
      const auto& [position, length, kind] = source_[begin + k];
      const auto to = [&](int r, int c) -> double& { return row_[(r * blocks + k) * 3 + c]; };
      for (int c = 0; c < 3; ++c) {
        for (int r = kind == Source::Kind::diagonal ? c : 0; r < 3; ++r) {
          const double entry = values[position + lower_offset(r, c, length)];
          if (kind != Source::Kind::transposed) to(r, c) = entry;
          if (kind != Source::Kind::as_it_is) to(c, r) = entry;
        }
      }
    }
    const PetscInt at = rows_.number(row);
    check(MatSetValuesBlocked(matrix_, 1, &at, blocks, column_.data() + begin, row_.data(),
                              INSERT_VALUES));
  }
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

}  // namespace lilyan::distributed
