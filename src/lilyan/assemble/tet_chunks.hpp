// Tetrahedra in an order and in chunks that several threads can share.
//
// The tets are ordered by the levels of a breadth-first search over the vertices: one whose lowest
// vertex is of level l has vertices of l and l + 1 only. A chunk is some whole levels, so it shares
// vertices with the chunks before and after it and with no other: all even ones can be worked on at
// the same time, then all odd ones, without locks. What is added to a vertex is added in the same
// order however many threads there are.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lilyan/assemble/tet_group.hpp"
#include "lilyan/core/threads.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

inline constexpr int kMostChunks = 256;

// The numbers of the tets in the order described, and where chunks begin in it (and end, at last).
struct TetOrder {
  std::vector<int> tets;
  std::vector<int> chunk_start;
};
[[nodiscard]] TetOrder order_tets(std::span<const std::array<int, 4>> tets, int vertices);

// body(chunk) for each, neighbours never at the same time; the sum of what it returns.
template <class Body>
double sum_over_chunks(std::span<const TetChunk> chunks, const Body& body) {
  if (chunks.size() == 1) return body(chunks[0]);
  const int count = static_cast<int>(chunks.size());
  std::array<double, kMostChunks> part;
  for (int colour = 0; colour < 2; ++colour) {
    parallel_for((count + 1 - colour) / 2, [&](int i) {
      const auto chunk = static_cast<std::size_t>(2 * i + colour);
      part[chunk] = body(chunks[chunk]);
    });
  }
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += part[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace lilyan
