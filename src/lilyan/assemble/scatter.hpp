// Where the matrix of one element lives in a sparse matrix, and adding it there.
//
// The matrix of an element of k vertices consists of k×k blocks, each n×n, n being the system's
// dimension. Its vertices come in ascending order v₀ < v₁ < …. Everything that adds element
// matrices to a sparse matrix calls add_element; only the tetrahedra, which add the blocks of eight
// elements from vector registers, have a symmetric version of their own (assemble/tet_lanes.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace lilyan {

// Places in the values of a symmetric matrix stored as lower-triangular compressed columns. An
// element has the k(k+1)/2 blocks (a,b), a ≥ b, in the order (0,0),(1,0),…,(k−1,0),(1,1),…. Entry
// (r,c) of a block is at  position + lower_offset(r, c, L),  where L is the length of the first of
// the n columns of vertex b. Blocks of fixed vertices point at a scratch area behind the matrix.
struct BlockSlots {
  std::vector<int> position;       // blocks of element 0, of element 1, …
  std::vector<int> column_length;  // k per element: L of each of its vertices
  // Where the scratch area begins. Loops shared among threads must not write to it.
  int end = std::numeric_limits<int>::max();
};

// Each column of a lower triangle is shorter by one than the column before it.
[[nodiscard]] constexpr std::ptrdiff_t lower_offset(int r, int c, std::ptrdiff_t length) {
  return c * length - c * (c + 1) / 2 + r;
}

// The size of an element's matrix: k vertices of dimension n.
struct ElementSize {
  int vertices = 0;
  int dimension = 3;
};

// values += the lower triangle of an element's symmetric matrix. entry(a, b, r, c) is its entry
// (r,c) of block (a,b); it is asked for a ≥ b only, and on the diagonal (a = b) for r ≥ c only.
template <class Entry>
inline void add_element(const BlockSlots& slots, std::size_t element, const ElementSize& size,
                        const Entry& entry, double* values) {
  const auto k = static_cast<std::size_t>(size.vertices);
  const int* position = slots.position.data() + element * (k * (k + 1) / 2);
  const int* length = slots.column_length.data() + element * k;
  for (int b = 0; b < size.vertices; ++b) {
    for (int a = b; a < size.vertices; ++a) {
      double* block = values + *position++;
      for (int c = 0; c < size.dimension; ++c) {
        double* column = block + lower_offset(0, c, length[b]);
        for (int r = (a == b ? c : 0); r < size.dimension; ++r) column[r] += entry(a, b, r, c);
      }
    }
  }
}

}  // namespace lilyan
