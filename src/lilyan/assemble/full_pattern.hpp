// The sparsity pattern of Jacobians that are not symmetric: both triangles of a system's Hessian.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/core/energy.hpp"

namespace lilyan {

// Compressed columns with ascending rows over the free vertices, in n×n blocks: for each vertex n
// columns of the same length, over itself and its neighbours.
class FullPattern {
 public:
  // The half pattern must outlive this.
  explicit FullPattern(const BlockPattern& half);

  [[nodiscard]] const BlockPattern& half() const { return half_; }
  [[nodiscard]] int dofs() const { return half_.dofs(); }
  [[nodiscard]] int entries() const { return column_start_.back(); }
  [[nodiscard]] const std::vector<int>& column_start() const { return column_start_; }
  [[nodiscard]] const std::vector<int>& row() const { return row_; }
  // Position of a column's diagonal entry.
  [[nodiscard]] const std::vector<int>& diagonal() const { return diagonal_; }

  [[nodiscard]] FullBlockSlots slots(const Stencils& stencils) const;
  // full = the symmetric matrix whose lower triangle has these values in the half pattern.
  void mirror(std::span<const double> lower, std::span<double> full) const;
  // full += that matrix.
  void add_mirrored(std::span<const double> lower, std::span<double> full) const;

 private:
  [[nodiscard]] int find(int row, int column) const;

  const BlockPattern& half_;
  std::vector<int> column_start_;
  std::vector<int> row_;
  std::vector<int> diagonal_;
  // Where each lower entry goes, and where its mirror image does.
  std::vector<int> below_, above_;
};

}  // namespace lilyan
