// The tets of a group in lanes: gathering their edges, scattering their forces and blocks.
#pragma once

#include <cstddef>
#include <cstring>

#include "lilyan/assemble/force_sums.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/assemble/tet_groups.hpp"
#include "lilyan/assemble/vertex_blocks.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

// GCC takes arrays that loops fill for arrays that nobody fills.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace lilyan {

// As many lanes of a group as a pack of type P has, from `lane` on; the first `used` of them count.
template <AnyPack P>
struct TetPart {
  const TetGroup& group;
  int lane;
  int used;

  [[nodiscard]] Mat3<P> inverse_rest() const {
    Mat3<P> r;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) r(i, j) = load<P>(group.inverse_rest[i][j] + lane);
    }
    return r;
  }
  [[nodiscard]] P volume() const { return load<P>(group.volume + lane); }
  [[nodiscard]] std::ptrdiff_t offset(int a, int i) const {
    return 3 * static_cast<std::ptrdiff_t>(group.vertex[a][lane + i]);
  }
};

// The pairs at p[0], p[2], p[4], … of a list of addresses, one after the other.
template <AnyPack P>
inline P join_pairs(const double* const* p) {
  using Two = PackOf<2>;
  if constexpr (lanes_of<P> == 2) {
    return load<Two>(p[0]);
  } else {
    const auto low = __builtin_shufflevector(load<Two>(p[0]), load<Two>(p[2]), 0, 1, 2, 3);
    if constexpr (lanes_of<P> == 4) {
      return low;
    } else {
      const auto high = __builtin_shufflevector(load<Two>(p[4]), load<Two>(p[6]), 0, 1, 2, 3);
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
  }
}

// Coordinates of vertex a in every lane, loaded two and one at a time.
template <AnyPack P>
inline void gather(const TetPart<P>& part, const double* x, int a, P (&r)[3]) {
  const double* p[lanes_of<P>];
  for (int i = 0; i < lanes_of<P>; ++i) p[i] = x + part.offset(a, i);
  const P even = join_pairs<P>(p);
  const P odd = join_pairs<P>(p + 1);
  r[0] = interleave_even(even, odd);
  r[1] = interleave_odd(even, odd);
  if constexpr (lanes_of<P> == 8) {
    r[2] = P{p[0][2], p[1][2], p[2][2], p[3][2], p[4][2], p[5][2], p[6][2], p[7][2]};
  } else if constexpr (lanes_of<P> == 4) {
    r[2] = P{p[0][2], p[1][2], p[2][2], p[3][2]};
  } else {
    r[2] = P{p[0][2], p[1][2]};
  }
}

// Edge matrix D_s of each lane's tet: column a−1 is x_a − x_0.
template <AnyPack P>
inline Mat3<P> gather_edges(const TetPart<P>& part, const double* x) {
  P origin[3];
  gather(part, x, 0, origin);
  Mat3<P> edges;
  for (int a = 0; a < 3; ++a) {
    P end[3];
    gather(part, x, a + 1, end);
    for (int i = 0; i < 3; ++i) edges(i, a) = end[i] - origin[i];
  }
  return edges;
}

// Three numbers per lane that are neighbours in memory, moved two and one at a time: as the loads
// of the next tet at the same vertex do it, so that the processor can pass the one to the other.
template <AnyPack P>
struct LaneTriples {
  double pair[2][lanes_of<P>];  // of the even lanes, of the odd lanes
  double last[lanes_of<P>];

  void set(const P& x, const P& y, const P& z) {
    const P even = interleave_even(x, y);
    const P odd = interleave_odd(x, y);
    std::memcpy(pair[0], &even, sizeof(P));
    std::memcpy(pair[1], &odd, sizeof(P));
    std::memcpy(last, &z, sizeof(P));
  }
  [[nodiscard]] PackOf<2> pair_of(int lane) const {
    return load<PackOf<2>>(pair[lane & 1] + (lane & ~1));
  }
  void add_pair(int lane, double* target) const {
    const PackOf<2> sum = load<PackOf<2>>(target) + pair_of(lane);
    std::memcpy(target, &sum, sizeof(sum));
  }
  void add_last(int lane, double* target) const { *target += last[lane]; }
  void add(int lane, double* target) const {
    add_pair(lane, target);
    add_last(lane, target + 2);
  }
  void subtract(int lane, double* target) const {
    const PackOf<2> difference = load<PackOf<2>>(target) - pair_of(lane);
    std::memcpy(target, &difference, sizeof(difference));
    target[2] -= last[lane];
  }
};

// The forces P gᵃ (P including the volume) of the part's vertices into the group's rows, where
// force_sums.hpp finds them.
template <AnyPack P>
inline void store_forces(const TetPart<P>& part, const Mat3<P>& stress, const Mat3<P>& G,
                         double* rows) {
  const Mat3<P> force = multiply_transposed(stress, G);  // column a is that of vertex a + 1
  const auto store = [&](int a, const P& x, const P& y, const P& z) {
    store_rows(x, y, z, part.lane, rows + a * kLanes * kForceRow);
  };
  for (int a = 0; a < 3; ++a) store(a + 1, force(0, a), force(1, a), force(2, a));
  store(0, -(force(0, 0) + force(0, 1) + force(0, 2)), -(force(1, 0) + force(1, 1) + force(1, 2)),
        -(force(2, 0) + force(2, 1) + force(2, 2)));
}

// The ten lower blocks of a tet.
template <AnyPack P>
struct TetBlocks {
  VertexBlocks<P> inner;
  P minus_first[3][9];  // (1,0), (2,0), (3,0), by columns, with the other sign
  P corner[6];          // (0,0), its lower triangle by columns

  // Rows and columns of vertex 0 from Σ_a gᵃ = 0.
  void complete() {
    const VertexBlocks<P>& k = inner;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        const int e = r + 3 * c;
        const int t = c + 3 * r;
        minus_first[0][e] = k.on_diagonal(0, r, c) + k.below[0][t] + k.below[1][t];
        minus_first[1][e] = k.below[0][e] + k.on_diagonal(1, r, c) + k.below[2][t];
        minus_first[2][e] = k.below[1][e] + k.below[2][e] + k.on_diagonal(2, r, c);
      }
    }
    for (int e = 0; e < 6; ++e) {
      const int full = VertexBlocks<P>::kRow[e] + 3 * VertexBlocks<P>::kColumn[e];
      corner[e] = minus_first[0][full] + minus_first[1][full] + minus_first[2][full];
    }
  }
};

// The columns of a block ready to be added to those of a matrix.
template <AnyPack P>
struct BlockColumns {
  LaneTriples<P> column[3];

  explicit BlockColumns(const P (&e)[9]) {
    for (int c = 0; c < 3; ++c) column[c].set(e[3 * c], e[3 * c + 1], e[3 * c + 2]);
  }
  void add(int lane, double* target, std::ptrdiff_t length) const {
    column[0].add(lane, target);
    column[1].add(lane, target + length - 1);
    column[2].add(lane, target + 2 * length - 3);
  }
  void subtract(int lane, double* target, std::ptrdiff_t length) const {
    column[0].subtract(lane, target);
    column[1].subtract(lane, target + length - 1);
    column[2].subtract(lane, target + 2 * length - 3);
  }
};

// A block on the diagonal: its lower triangle.
template <AnyPack P>
struct TriangleColumns {
  LaneTriples<P> column[2];  // the second: two of the block's second column, one of its third

  explicit TriangleColumns(const P (&e)[6]) {
    column[0].set(e[0], e[1], e[2]);
    column[1].set(e[3], e[4], e[5]);
  }
  void add(int lane, double* target, std::ptrdiff_t length) const {
    column[0].add(lane, target);
    column[1].add_pair(lane, target + length);
    column[1].add_last(lane, target + 2 * length - 1);
  }
};

// values += the blocks, at the places given of the part's tets, in the order of BlockSlots; those
// of fixed vertices, from `end` on, are left out.
template <AnyPack P>
inline void scatter_hessian(const TetPart<P>& part, const TetBlocks<P>& k, const int* position,
                            const int* column_length, int end, double* values) {
  const TriangleColumns<P> diagonal[4] = {
      TriangleColumns<P>(k.corner), TriangleColumns<P>(k.inner.diagonal[0]),
      TriangleColumns<P>(k.inner.diagonal[1]), TriangleColumns<P>(k.inner.diagonal[2])};
  const BlockColumns<P> below[6] = {
      BlockColumns<P>(k.minus_first[0]), BlockColumns<P>(k.minus_first[1]),
      BlockColumns<P>(k.minus_first[2]), BlockColumns<P>(k.inner.below[0]),
      BlockColumns<P>(k.inner.below[1]), BlockColumns<P>(k.inner.below[2])};
  for (int i = 0; i < part.used; ++i, position += 10, column_length += 4) {
    const auto add = [&](int s, const auto& block, int length) {
      if (position[s] < end) block.add(i, values + position[s], length);
    };
    const auto subtract = [&](int s, const auto& block, int length) {
      if (position[s] < end) block.subtract(i, values + position[s], length);
    };
    add(0, diagonal[0], column_length[0]);
    subtract(1, below[0], column_length[0]);
    subtract(2, below[1], column_length[0]);
    subtract(3, below[2], column_length[0]);
    add(4, diagonal[1], column_length[1]);
    add(5, below[3], column_length[1]);
    add(6, below[4], column_length[1]);
    add(7, diagonal[2], column_length[2]);
    add(8, below[5], column_length[2]);
    add(9, diagonal[3], column_length[3]);
  }
}

}  // namespace lilyan

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
