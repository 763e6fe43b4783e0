// The assembled Hessian as a dense matrix over all degrees of freedom.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"

namespace lilyan::test {

using Matrix = Eigen::MatrixXd;

// The symmetric matrix of a pattern's values, over the free degrees of freedom.
inline Matrix dense(const BlockPattern& pattern, std::span<const double> values) {
  Matrix m = Matrix::Zero(pattern.dofs(), pattern.dofs());
  for (int c = 0; c < pattern.dofs(); ++c) {
    for (int k = pattern.column_start()[c]; k < pattern.column_end(c); ++k) {
      m(pattern.row()[k], c) += values[k];
      if (pattern.row()[k] != c) m(c, pattern.row()[k]) += values[k];
    }
  }
  return m;
}

inline Matrix dense_hessian(Assembler& assembler, const Vector& x0, const Vector& d,
                            std::span<const WeightedNode> nodes, double projection = 0) {
  const BlockPattern& pattern = assembler.hessian_pattern();
  std::vector<double> values(static_cast<std::size_t>(pattern.storage()), -7.0);
  assembler.hessian(x0, d, nodes, projection, values);
  return dense(pattern, values);
}

// Rows (and columns) of the free degrees of freedom of a vector over all.
inline Vector free_part(const BlockPattern& pattern, const Vector& all) {
  Vector f(pattern.dofs());
  for (int c = 0; c < pattern.dofs(); ++c) f[c] = all[pattern.dof(c)];
  return f;
}

}  // namespace lilyan::test
