#include "lilyan/assemble/tet_chunks.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace lilyan
