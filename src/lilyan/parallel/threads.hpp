// Loops over chunks of work, shared among threads.
//
// Results must not depend on the number of threads. A loop that follows two rules keeps that
// promise: the chunks are the same however many threads there are, and partial sums are added in
// the order of the chunks (by a second, serial loop), never in the order of their completion.
#pragma once

#include <algorithm>
#include <array>

namespace lilyan {

// How many threads share the loops of this process: 1 unless set. 0 stands for as many as the
// machine has cores.
void set_threads(int count);
[[nodiscard]] int threads();

namespace detail {
void share_chunks(int chunks, void (*function)(const void* body, int chunk), const void* body);
}

// body(chunk) for each chunk of 0, …, chunks − 1, in no particular order and on several threads:
// the bodies of different chunks must not write to the same place. They must not throw.
//
// A single thread calls the bodies through the same pointer. Inlined into a loop, a body might have
// its multiplications and additions contracted in another way, and would then give other bits.
template <class Body>
void parallel_for(int chunks, const Body& body) {
  const auto call = [](const void* any, int chunk) { (*static_cast<const Body*>(any))(chunk); };
  detail::share_chunks(chunks, call, &body);
}

namespace detail {
inline constexpr int kMostRanges = 256;
inline constexpr int kShortestRange = 2048;  // numbers, a microsecond: below, sharing does not pay
inline int range_length(int count) {
  return std::max(kShortestRange, (count + kMostRanges - 1) / kMostRanges);
}
}  // namespace detail

// body(first, last) for ranges that make up 0, …, count − 1, shared as by parallel_for.
template <class Body>
void parallel_ranges(int count, const Body& body) {
  const int length = detail::range_length(count);
  parallel_for((count + length - 1) / length,
               [&](int k) { body(k * length, k * length + std::min(length, count - k * length)); });
}

// The sum of what body(first, last) returns, added up in the order of the ranges.
template <class Body>
double parallel_sum(int count, const Body& body) {
  const int length = detail::range_length(count);
  std::array<double, detail::kMostRanges> part;
  parallel_ranges(count, [&](int first, int last) {
    part[static_cast<std::size_t>(first / length)] = body(first, last);
  });
  double sum = 0;
  for (int k = 0; k * length < count; ++k) sum += part[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace lilyan
