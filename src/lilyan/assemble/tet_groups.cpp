#include "lilyan/assemble/tet_groups.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "lilyan/assemble/tet_lanes.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {
namespace {

constexpr int kLeastTets = 256;  // of a chunk: below, a thread costs more than it saves

// Neighbours of each vertex, ascending and without repetition, as compressed rows.
struct Graph {
  std::vector<int> start;
  std::vector<int> to;

  Graph(std::span<const std::array<int, 4>> tets, int vertices) : start(vertices + 1, 0) {
    for (const auto& t : tets) {
      for (const int v : t) start[v + 1] += 3;
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    to.resize(start.back());
    std::vector<int> next(start.begin(), start.end() - 1);
    for (const auto& t : tets) {
      for (const int v : t) {
        for (const int w : t) {
          if (w != v) to[next[v]++] = w;
        }
      }
    }
    int size = 0;
    for (int v = 0; v < vertices; ++v) {
      const auto begin = to.begin() + start[v];
      const auto end = to.begin() + next[v];
      std::sort(begin, end);
      const auto last = std::unique(begin, end);
      start[v] = size;
      size += static_cast<int>(std::move(begin, last, to.begin() + size) - (to.begin() + size));
    }
    start[vertices] = size;
  }
};

// Appends the vertices reached from `root` to `order`, level by level, and sets their levels from
// `first_level` on. Returns the first vertex of the last level.
int search(const Graph& graph, int root, int first_level, std::vector<int>& level,
           std::vector<int>& order) {
  std::size_t at = order.size();
  order.push_back(root);
  level[root] = first_level;
  int last = root;
  for (; at < order.size(); ++at) {
    const int v = order[at];
    if (level[v] > level[last]) last = v;
    for (int k = graph.start[v]; k < graph.start[v + 1]; ++k) {
      const int w = graph.to[k];
      if (level[w] >= 0) continue;
      level[w] = level[v] + 1;
      order.push_back(w);
    }
  }
  return last;
}

// Levels of all vertices that tets have, and the order in which they were reached. A search from
// the far end of another one has more and smaller levels.
std::vector<int> search_all(const Graph& graph, std::vector<int>& level) {
  std::vector<int> order;
  int first_level = 0;
  for (int v = 0; v < static_cast<int>(level.size()); ++v) {
    if (level[v] >= 0 || graph.start[v] == graph.start[v + 1]) continue;
    const std::size_t before = order.size();
    int root = v;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const int far = search(graph, root, first_level, level, order);
      if (repeat == 2) break;
      for (std::size_t k = before; k < order.size(); ++k) level[order[k]] = -1;
      order.resize(before);
      root = far;
    }
    first_level = level[order.back()] + 1;
  }
  return order;
}

}  // namespace

TetOrder order_tets(std::span<const std::array<int, 4>> tets, int vertices) {
  const int count = static_cast<int>(tets.size());
  const Graph graph(tets, vertices);
  std::vector<int> level(vertices, -1);
  const std::vector<int> reached = search_all(graph, level);
  std::vector<int> rank(vertices, -1);
  for (std::size_t k = 0; k < reached.size(); ++k) rank[reached[k]] = static_cast<int>(k);

  // By when their vertices were reached: that sorts by levels, and keeps neighbours together.
  std::vector<std::array<int, 4>> key(tets.begin(), tets.end());
  for (auto& k : key) {
    for (int& v : k) v = rank[v];
    std::ranges::sort(k);
  }
  TetOrder result;
  result.tets.resize(count);
  std::iota(result.tets.begin(), result.tets.end(), 0);
  std::ranges::stable_sort(result.tets, {}, [&](int e) { return key[e]; });

  const int least = std::max(kLeastTets, (count + kMostChunks - 1) / kMostChunks);
  const auto level_of = [&](int k) { return level[reached[key[result.tets[k]][0]]]; };
  result.chunk_start.push_back(0);
  for (int k = 1; k < count; ++k) {
    const bool full = k - result.chunk_start.back() >= least;
    if (full && count - k >= least && level_of(k) != level_of(k - 1)) {
      result.chunk_start.push_back(k);
    }
  }
  if (count > 0) result.chunk_start.push_back(count);
  return result;
}

namespace {

void check_volumes(const TetShape& shape) {
  for (std::size_t e = 0; e < shape.tets.size(); ++e) {
    const auto& v = shape.tets[e];
    Eigen::Matrix3d rest;
    for (int c = 0; c < 3; ++c) {
      rest.col(c) = shape.rest.segment<3>(3 * v[c + 1]) - shape.rest.segment<3>(3 * v[0]);
    }
    if (!(std::abs(rest.determinant()) > 0) || !rest.inverse().allFinite()) {
      throw Error("tet " + std::to_string(e) + " has zero rest volume");
    }
  }
}

void set_lane(const TetShape& shape, int tet, bool used, TetGroup& group, int lane) {
  // Ascending, so that every Hessian block falls into the lower triangle. F does not depend on
  // the order, and the volume is taken without its sign.
  std::array<int, 4> v = shape.tets[static_cast<std::size_t>(tet)];
  std::ranges::sort(v);
  Eigen::Matrix3d rest;
  for (int c = 0; c < 3; ++c) {
    rest.col(c) = shape.rest.segment<3>(3 * v[c + 1]) - shape.rest.segment<3>(3 * v[0]);
  }
  const Eigen::Matrix3d inverse = rest.inverse();
  for (int a = 0; a < 4; ++a) group.vertex[a][lane] = v[a];
  group.volume[lane] = used ? std::abs(rest.determinant()) / 6 : 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) group.inverse_rest[i][j][lane] = inverse(i, j);
  }
}

// Gives the batch its list of vertices, and the tets, whose vertices in the system are given, the numbers
// in it.
void number_vertices(std::span<const std::array<int, 4>> tets, TetBatch& batch, TetChunks& all) {
  std::vector<int> vertices;
  for (const auto& tet : tets) vertices.insert(vertices.end(), tet.begin(), tet.end());
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  for (int k = 0; k < kLanes * (batch.tets.last_group - batch.tets.first_group); ++k) {
    TetGroup& group = all.groups[static_cast<std::size_t>(batch.tets.first_group + k / kLanes)];
    for (auto& vertex : group.vertex) {
      int& v = vertex[k % kLanes];
      v = static_cast<int>(std::ranges::lower_bound(vertices, v) - vertices.begin());
    }
  }
  batch.first_vertex = static_cast<int>(all.vertices.size());
  all.vertices.insert(all.vertices.end(), vertices.begin(), vertices.end());
  batch.last_vertex = static_cast<int>(all.vertices.size());
}

// Cuts a chunk, whose groups are there, into batches.
void add_batches(TetChunk& chunk, TetChunks& all) {
  chunk.first_batch = static_cast<int>(all.batches.size());
  for (int first = chunk.first_group; first < chunk.last_group; first += kBatchGroups) {
    TetBatch batch;
    batch.tets.first_group = first;
    batch.tets.last_group = std::min(first + kBatchGroups, chunk.last_group);
    batch.tets.first_tet = chunk.first_tet + kLanes * (first - chunk.first_group);
    batch.tets.last_tet = std::min(batch.tets.first_tet + kLanes * kBatchGroups, chunk.last_tet);
    std::vector<std::array<int, 4>> tets;
    for (int k = 0; k < batch.tets.last_tet - batch.tets.first_tet; ++k) {
      const TetGroup& group = all.groups[static_cast<std::size_t>(first + k / kLanes)];
      std::array<int, 4>& tet = tets.emplace_back();
      for (int a = 0; a < 4; ++a) tet[a] = group.vertex[a][k % kLanes];
    }
    batch.first_sum = static_cast<int>(all.forces.sums.size());
    all.forces.add_batch(tets);
    batch.last_sum = static_cast<int>(all.forces.sums.size());
    number_vertices(tets, batch, all);
    all.batches.push_back(batch);
  }
  chunk.last_batch = static_cast<int>(all.batches.size());
}

}  // namespace

TetChunks group_tets(const TetShape& shape) {
  check_volumes(shape);
  const TetOrder order = order_tets(shape.tets, static_cast<int>(shape.rest.size() / 3));
  TetChunks result;
  for (std::size_t c = 0; c + 1 < order.chunk_start.size(); ++c) {
    TetChunk chunk{.first_group = static_cast<int>(result.groups.size()),
                   .first_tet = order.chunk_start[c],
                   .last_tet = order.chunk_start[c + 1]};
    for (int first = chunk.first_tet; first < chunk.last_tet; first += kLanes) {
      TetGroup& group = result.groups.emplace_back();
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool used = first + lane < chunk.last_tet;
        set_lane(shape, order.tets[static_cast<std::size_t>(used ? first + lane : first)], used,
                 group, lane);
      }
    }
    chunk.last_group = static_cast<int>(result.groups.size());
    add_batches(chunk, result);
    result.chunks.push_back(chunk);
  }
  return result;
}

std::vector<double> lend_mass_by_volume(const TetChunks& tets, std::span<const double> mass) {
  std::vector<double> volume(mass.size(), 0.0);
  tets.each_tet([&](const TetGroup& group, int lane, const std::array<int, 4>& vertices) {
    for (const int v : vertices) volume[static_cast<std::size_t>(v)] += group.volume[lane];
  });
  std::vector<double> lent;
  tets.each_tet([&](const TetGroup& group, int lane, const std::array<int, 4>& vertices) {
    double density = std::numeric_limits<double>::infinity();
    for (const int vertex : vertices) {
      const auto v = static_cast<std::size_t>(vertex);
      density = std::min(density, mass[v] / volume[v]);
    }
    lent.push_back(density * group.volume[lane]);
  });
  return lent;
}

double* batch_memory(BatchVector which) {
  constexpr std::size_t kMost = std::size_t{3} * kGroupRows * kBatchGroups;
  struct alignas(kLanes * sizeof(double)) Memory {
    double vectors[3][kMost];
  };
  thread_local Memory memory;
  return memory.vectors[static_cast<std::size_t>(which)];
}

// A flat lane becomes a copy of a good one without volume: nothing of it counts, but its F, and
// with that the logarithm of a determinant, is a number.
bool take_rest_shape(const double* rest, TetGroup& group) {
  constexpr double kFlat = 1e-6;
  const Mat3<Pack> edges = gather_edges(TetPart<Pack>{group, 0, kLanes}, rest);
  const Mat3<Pack> cof = cofactor(edges);
  const Pack det = determinant(edges, cof);
  int good = -1;
  bool flat[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    double longest = 0;
    for (int a = 0; a < 3; ++a) {
      double square = 0;
      for (int i = 0; i < 3; ++i) square += edges(i, a)[lane] * edges(i, a)[lane];
      longest = std::max(longest, square);
    }
    flat[lane] = !(std::abs(det[lane]) / 6 > kFlat * longest * std::sqrt(longest));
    if (!flat[lane]) good = lane;
  }
  if (good < 0) return false;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool unused = group.volume[lane] == 0;
    const int from = flat[lane] ? good : lane;
    if (flat[lane]) {
      for (auto& vertex : group.vertex) vertex[lane] = vertex[good];
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        group.inverse_rest[i][j][lane] = cof(j, i)[from] / det[from];
      }
    }
    group.volume[lane] = unused || flat[lane] ? 0.0 : std::abs(det[lane]) / 6;
  }
  return true;
}

}  // namespace lilyan
