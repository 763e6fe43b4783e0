// Linear tetrahedra in groups of one per lane, and in chunks that several threads can share.
//
// The tets are ordered by the levels of a breadth-first search over the vertices: a tet whose lowest
// vertex is of level l has vertices of l and l + 1 only. A chunk is some whole levels, so it shares
// vertices with the chunks before and after it and with no other: all even chunks can be worked on
// at the same time, then all odd ones, without locks. What is added to a vertex is added in the same
// order however many threads there are.
//
// A chunk is cut into batches. What a batch needs of its vertices is copied into a thread's own memory
// first, which the fastest cache holds: each vertex of a batch is read once, and not by each of its tets,
// wherever the numbering of the vertices has put it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lilyan/assemble/force_sums.hpp"
#include "lilyan/assemble/tet_shape.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

// Rest data of kLanes tets; unused lanes of the last group of a chunk repeat its first tet with
// zero volume.
struct alignas(kLanes * sizeof(double)) TetGroup {
  double inverse_rest[3][3][kLanes];  // D_m⁻¹; its rows are the gradients gᵃ of vertices 1, 2, 3
  double volume[kLanes];
  int vertex[4][kLanes];  // numbers within the batch, ascending in each lane as those of the system
};

// Consecutive groups and the tets they hold: all lanes but some of the last group are used. Two
// chunks that are not neighbours in their sequence have no vertex in common.
struct TetChunk {
  int first_group = 0;
  int last_group = 0;  // exclusive
  int first_tet = 0;
  int last_tet = 0;  // exclusive
  int first_batch = 0;
  int last_batch = 0;  // exclusive
};

// Some of a chunk's tets, whose forces are summed up together.
struct TetBatch {
  TetChunk tets;
  int first_sum = 0;
  int last_sum = 0;  // exclusive
  int first_vertex = 0;
  int last_vertex = 0;  // exclusive
};

// All tets of an energy.
struct TetChunks {
  std::vector<TetGroup> groups;
  std::vector<TetChunk> chunks;
  std::vector<TetBatch> batches;
  std::vector<int> vertices;  // the system's numbers of each batch's vertices, ascending
  ForceSums forces;

  // body(group, lane, vertices) for each tet in turn, with the system's numbers of its vertices.
  template <class Body>
  void each_tet(const Body& body) const {
    for (const TetBatch& batch : batches) {
      for (int e = batch.tets.first_tet; e < batch.tets.last_tet; ++e) {
        const int place = e - batch.tets.first_tet;
        const int lane = place % kLanes;
        const TetGroup& group =
            groups[static_cast<std::size_t>(batch.tets.first_group + place / kLanes)];
        std::array<int, 4> v;
        for (int a = 0; a < 4; ++a) {
          v[a] = vertices[static_cast<std::size_t>(batch.first_vertex + group.vertex[a][lane])];
        }
        body(group, lane, v);
      }
    }
  }
};

// A thread's memory for one batch: positions or the like of its vertices.
enum class BatchVector { x0, d, rest };
[[nodiscard]] double* batch_memory(BatchVector which);

// The numbers of the batch's vertices out of a vector of the system; null if there is no vector.
inline const double* take_vertices(const TetChunks& tets, const TetBatch& batch, const double* from,
                                   BatchVector which) {
  if (!from) return nullptr;
  double* const result = batch_memory(which);
  double* to = result;
  for (int k = batch.first_vertex; k < batch.last_vertex; ++k, to += 3) {
    const double* p = from + 3 * std::ptrdiff_t{tets.vertices[static_cast<std::size_t>(k)]};
    for (int i = 0; i < 3; ++i) to[i] = p[i];
  }
  return result;
}

// evaluate(batch, at, rows) for each batch of the chunk, where x0 and d are those of the batch's
// vertices. If there is a gradient it is to store the forces in the rows (group after group,
// kForceRow·kGroupRows numbers each), and they are added to it; without, rows is null. Returns the sum of
// what it returns.
template <class At, class Evaluate>
double sum_over_batches(const TetChunks& tets, const TetChunk& chunk, At at,
                        const Evaluate& evaluate) {
  double* const rows = at.gradient ? force_rows() : nullptr;
  const double* const x0 = at.x0;
  const double* const d = at.d;
  double total = 0;
  for (int k = chunk.first_batch; k < chunk.last_batch; ++k) {
    const TetBatch& batch = tets.batches[static_cast<std::size_t>(k)];
    at.x0 = take_vertices(tets, batch, x0, BatchVector::x0);
    at.d = take_vertices(tets, batch, d, BatchVector::d);
    total += evaluate(batch, at, rows ? rows + kForceRow * kZeroRows : nullptr);
    if (rows) tets.forces.add_forces(batch.first_sum, batch.last_sum, rows, at.gradient);
  }
  return total;
}

inline constexpr int kMostChunks = 256;

// The numbers of the tets in the order described above, and where each chunk begins in it; the last
// number is where the last chunk ends.
struct TetOrder {
  std::vector<int> tets;
  std::vector<int> chunk_start;
};
[[nodiscard]] TetOrder order_tets(std::span<const std::array<int, 4>> tets, int vertices);

// Groups the tets in the order of their chunks, each with its vertices ascending. Throws Error
// naming the first tet whose rest volume is zero.
[[nodiscard]] TetChunks group_tets(const TetShape& shape);

// The mass that each of a tet's four vertices lends it (LendsMass): a vertex lends in proportion to
// volume, and a tet takes from all four what the poorest can give, which for a body of one density is all
// they have.
[[nodiscard]] std::vector<double> lend_mass_by_volume(const TetChunks& tets,
                                                      std::span<const double> mass);

// Gives the group the shape at `rest` as its undeformed one. Tets that are flat there (volume below
// 1e-6 of the cube of their longest edge) get no volume, and the shape of one that is not flat.
// Returns false when all are flat.
bool take_rest_shape(const double* rest, TetGroup& group);

// body(chunk) for each, neighbours never at the same time, even ones before the odd ones next to
// them; the sum of what it returns.
//
// Runs of chunks that begin and end with an even one have no vertex in common, and share only the
// odd chunks between them. Within a run an odd chunk follows its neighbours at once, while they are
// in the cache: 0, 2, 1, 4, 3, …. How long runs are makes no difference to any sum.
template <class Body>
double sum_over_chunks(std::span<const TetChunk> chunks, const Body& body) {
  if (chunks.size() == 1) return body(chunks[0]);
  constexpr int kRunsPerThread = 16;  // so that all threads have as much to do
  const int count = static_cast<int>(chunks.size());
  const int period = 2 * std::max(1, count / (2 * kRunsPerThread * threads()));
  std::array<double, kMostChunks> part;
  const auto take = [&](int k) {
    part[static_cast<std::size_t>(k)] = body(chunks[static_cast<std::size_t>(k)]);
  };
  parallel_for((count + period - 1) / period, [&](int run) {
    const int first = period * run;
    const int end = std::min(first + period - 1, count);
    take(first);
    int next = first + 1;
    for (; next + 1 < end; next += 2) {
      take(next + 1);
      take(next);
    }
    if (next < end) take(next);  // odd, and the last of all
  });
  parallel_for(count / period, [&](int run) { take(period * (run + 1) - 1); });
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += part[static_cast<std::size_t>(i)];
  return sum;
}

}  // namespace lilyan
