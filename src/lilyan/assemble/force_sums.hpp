// Forces of tets summed by vertex.
//
// Adding each tet's forces to the gradient, one after the other, is slow: what is added to a vertex
// has to wait for what its last tet has stored there. Instead, a batch of tets stores its forces in
// rows of its own, and each vertex then sums up those of its tets, four vertices side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "lilyan/numeric/lanes.hpp"

namespace lilyan {

inline constexpr int kForceRow = 4;            // numbers: a force, and one that means nothing
inline constexpr int kGroupRows = 4 * kLanes;  // one for each vertex of a group's tets
inline constexpr int kBatchGroups = 32;        // at most: their rows stay in the cache
inline constexpr int kZeroRows = 2;            // before those of a batch
inline constexpr int kSideBySide = 4;

// Where a group has the row of a lane's tet for its vertex a. Lanes are stored in the order in
// which pairs of packs can be interleaved.
[[nodiscard]] constexpr int force_row(int a, int lane) {
  return a * kLanes + ((lane & 4) | ((lane & 1) << 1) | ((lane & 2) >> 1));
}

// Rows (x, y, z, anything) of the pack's lanes, the first of which is `lane` of its group.
template <AnyPack P>
inline void store_rows(const P& x, const P& y, const P& z, int lane, double* rows) {
  const auto put = [&](int i, const auto& row) {
    std::memcpy(rows + kForceRow * force_row(0, lane + i), &row, sizeof(row));
  };
  const P even = interleave_even(x, y);
  const P odd = interleave_odd(x, y);
  if constexpr (lanes_of<P> == 8) {
    put(0, __builtin_shufflevector(even, z, 0, 1, 8, 8, 2, 3, 10, 10));
    put(1, __builtin_shufflevector(odd, z, 0, 1, 9, 9, 2, 3, 11, 11));
    put(4, __builtin_shufflevector(even, z, 4, 5, 12, 12, 6, 7, 14, 14));
    put(5, __builtin_shufflevector(odd, z, 4, 5, 13, 13, 6, 7, 15, 15));
  } else if constexpr (lanes_of<P> == 4) {
    put(0, __builtin_shufflevector(even, z, 0, 1, 4, 4));
    put(1, __builtin_shufflevector(odd, z, 0, 1, 5, 5));
    put(2, __builtin_shufflevector(even, z, 2, 3, 6, 6));
    put(3, __builtin_shufflevector(odd, z, 2, 3, 7, 7));
  } else {
    put(0, __builtin_shufflevector(even, z, 0, 1, 2, 2));
    put(1, __builtin_shufflevector(odd, z, 0, 1, 3, 3));
  }
}

// Some vertices of a batch that have about as many tets in it: the rows to sum up for the first of
// each, for the second of each, …, from `first` on in a list; a row of zeros where one has fewer.
struct VertexSums {
  std::array<int, kSideBySide> vertex;  // −1: none
  int first;
  int count;
};

// All sums of some batches, one after the other.
struct ForceSums {
  std::vector<VertexSums> sums;
  std::vector<std::uint16_t> rows;  // where each begins, in bytes

  // Appends those of a batch whose tet number k, in lane k mod kLanes of its group number k/kLanes,
  // has the vertices given.
  void add_batch(std::span<const std::array<int, 4>> tets);

  // gradient += what is in the rows, for the sums given.
  void add_forces(int first, int last, const double* rows_of_batch, double* gradient) const;
};

// A thread's memory for the rows of one batch; the first kZeroRows are zero.
[[nodiscard]] double* force_rows();

}  // namespace lilyan
