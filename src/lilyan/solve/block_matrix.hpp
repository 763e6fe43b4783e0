// A symmetric matrix of 3×3 blocks with both triangles stored, for products with vectors.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/pattern.hpp"

namespace lilyan {

// Rows are in an order of their own (`node` says which of the pattern's nodes is at each place),
// cut into chunks that threads share; each is computed by one thread, so the number of threads
// does not change a bit of the result.
class BlockMatrix {
 public:
  // The pattern has blocks of 3×3. Chunks are made of whole groups of rows, given by the first row
  // of each and the end.
  BlockMatrix(const LowerPattern& pattern, std::span<const int> node, std::span<const int> groups);

  // From values in the pattern's lower compressed columns.
  void assign(std::span<const double> lower);

  // y = A x; returns x·y.
  double multiply(const double* x, double* y);

  [[nodiscard]] int rows() const { return static_cast<int>(start_.size()) - 1; }
  [[nodiscard]] int blocks() const { return start_.back(); }
  // First group of each chunk, and the end.
  [[nodiscard]] std::span<const int> chunks() const { return chunks_; }
  // Blocks of a row: from start()[row], ascending columns; entries by columns.
  [[nodiscard]] std::span<const int> start() const { return start_; }
  [[nodiscard]] std::span<const int> column() const { return column_; }
  [[nodiscard]] const double* block(int k) const { return values_.data() + 9 * std::ptrdiff_t{k}; }
  [[nodiscard]] const double* diagonal(int row) const { return block(diagonal_[row]); }

 private:
  // Where a block comes from: entry (r,c) is lower[position + c·length − c(c+1)/2 + r], or with r
  // and c exchanged.
  struct Source {
    int position;
    int length;  // negative: exchanged
  };

  std::vector<int> start_, column_, diagonal_;
  std::vector<int> chunks_, chunk_rows_;
  std::vector<Source> source_;
  std::vector<double> values_;
  std::vector<double> partial_;
};

}  // namespace lilyan
