// Loops over chunks of work, shared among threads.
//
// Results must not depend on the number of threads. A loop that follows two rules keeps that
// promise: the chunks are the same however many threads there are, and what they add up is added
// in the order of the chunks (by a second, serial loop over their partial sums), never in that of
// their completion.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace lilyan {

// How many threads share the loops of this process: 1 unless set. 0 stands for as many as the
// machine has cores.
void set_threads(int count);
[[nodiscard]] int threads();

// body(chunk) for each chunk of 0, …, chunks − 1, in no particular order and on several threads:
// the bodies of different chunks must not write to the same place. They must not throw.
template <class Body>
void parallel_for(int chunks, const Body& body) {
  if (chunks <= 1 || threads() == 1) {
    for (int chunk = 0; chunk < chunks; ++chunk) body(chunk);
    return;
  }
  tbb::parallel_for(0, chunks, body, tbb::static_partitioner());
}

}  // namespace lilyan
