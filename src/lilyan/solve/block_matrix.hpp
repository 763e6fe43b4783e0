// A symmetric matrix of 3×3 blocks for products with vectors; and clusters of neighbouring nodes,
// which give its rows their order.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "lilyan/assemble/pattern.hpp"

namespace lilyan {

// Four numbers at any address; a block's row is the first three of them.
using Quad [[gnu::vector_size(32)]] = double;
inline Quad load_quad(const double* p) {
  Quad q;
  std::memcpy(&q, p, sizeof q);
  return q;
}
inline Quad load_quad(const float* p) {
  using Four [[gnu::vector_size(16)]] = float;
  Four q;
  std::memcpy(&q, p, sizeof q);
  return __builtin_convertvector(q, Quad);
}

// Products with it are limited by memory, and only its use in a preconditioned iteration matters,
// so blocks off the diagonal are rounded to single precision. What that takes from a row's sum is
// put back into its diagonal block, in double precision: a body's translations, the softest of
// motions, keep their exact inertia however stiff it is, and the rounding changes the stiffness
// between neighbours by parts in ten million. Of bodies that sound crosses a thousand times in a step,
// these parts are as much as the inertia of a rotation. Where that matters, blocks keep all digits.
//
// Rows are in an order of their own (`node` says which of the pattern's nodes is at each place),
// cut into chunks that threads share; each is computed by one thread, so the number of threads
// does not change a bit of the result. A chunk consists of windows of consecutive rows. A block
// between two rows of one window is stored once, with the later of the two: half the memory. One
// between rows of different windows is stored with both, so that no row is written by two threads.
//
// Places may be columns only, whose rows belong to another process. They come after those of the rows.
class BlockMatrix {
 public:
  // The pattern has blocks of 3×3. Chunks are made of whole groups of rows, given by the first row
  // of each and the end, after which places are columns only. The list has all neighbours of the rows.
  BlockMatrix(const LowerPattern& pattern, std::span<const int> node, std::span<const int> groups);

  enum class Digits { single, all };
  // From values in the pattern's lower compressed columns.
  void assign(std::span<const double> lower, Digits digits = Digits::single);

  // y = A x, rounded as said; returns x·y. One number more than x has is read, whatever it is.
  double multiply(const double* x, double* y);
  // The product in two parts: of chunks whose blocks are all in columns that are rows, and of the others.
  void multiply_inside(const double* x, double* y) { multiply_chunks(inside_, x, y); }
  void multiply_border(const double* x, double* y) { multiply_chunks(border_, x, y); }

  [[nodiscard]] int rows() const { return static_cast<int>(start_.size()) - 1; }
  // All of them, those that are stored once counted twice.
  [[nodiscard]] int blocks() const { return blocks_; }
  // First group of each chunk, and the end.
  [[nodiscard]] std::span<const int> chunks() const { return chunks_; }
  // Blocks of a row off the diagonal, each kind with ascending columns: from outer_begin to
  // inner_begin those to other windows; from there to end those to earlier rows of its own window,
  // which stand for their mirror images as well. Entries by rows.
  [[nodiscard]] int outer_begin(int row) const { return start_[row]; }
  [[nodiscard]] int inner_begin(int row) const { return inner_[row]; }
  [[nodiscard]] int end(int row) const { return start_[row + 1]; }
  [[nodiscard]] std::span<const int> column() const { return column_; }
  // use(entries) with the entries of a block as they are stored, in single or in double precision.
  template <class Use>
  void with_block(int k, const Use& use) const {
    const std::ptrdiff_t at = 9 * std::ptrdiff_t{k};
    if (digits_ == Digits::single) {
      use(values_.data() + at);
    } else {
      use(exact_.data() + at);
    }
  }
  [[nodiscard]] const double* diagonal(int row) const {
    return diagonal_.data() + 9 * std::ptrdiff_t{row};
  }

 private:
  // Where a block comes from: entry (r,c) is lower[position + c·length − c(c+1)/2 + r], or with r
  // and c exchanged.
  struct Source {
    int position;
    int length;  // negative: exchanged
  };

  void cut(const LowerPattern& pattern, std::span<const int> node, std::span<const int> groups);
  template <class Real>
  void assign_window(int first, int last, const double* lower, std::vector<Real>& values);
  void multiply_chunk(int chunk, const double* x, double* y);
  void multiply_chunks(std::span<const int> chunks, const double* x, double* y);
  template <class Real>
  double multiply_window(int first, int last, const Real* values, const double* x, double* y) const;

  int blocks_ = 0;
  std::vector<int> start_, inner_, column_;
  std::vector<int> chunks_, chunk_rows_;
  std::vector<int> inside_, border_;  // chunks without and with columns that are no rows
  std::vector<Source> source_;
  std::vector<int> diagonal_position_, diagonal_length_;
  Digits digits_ = Digits::single;
  std::vector<float> values_;
  std::vector<double> exact_;  // in their place with all digits, made when first needed
  std::vector<double> diagonal_;
  std::vector<double> partial_;
};

// The nodes put in an order in which those of a cluster are consecutive, and clusters that touch
// mostly near each other: also a good order for the memory of a matrix.
struct Aggregates {
  std::vector<int> node;   // at each place
  std::vector<int> start;  // first place of each cluster, and the end

  [[nodiscard]] int count() const { return static_cast<int>(start.size()) - 1; }
};

// Clusters of about `size` nodes, each connected where the graph lets it.
[[nodiscard]] Aggregates aggregate(const LowerPattern& pattern, int size);

}  // namespace lilyan
