#include "lilyan/solve/aggregates.hpp"

#include <algorithm>
#include <numeric>

namespace lilyan {
namespace {

// Grown breadth first, each from a node next to what is taken already, so that they fill space
// without leaving many scraps between them.
std::vector<int> grow(const LowerPattern& pattern, int size, int& count) {
  const int n = pattern.nodes();
  std::vector<int> cluster(n, -1);
  std::vector<int> seeds;  // nodes seen next to finished clusters, oldest first
  std::size_t next_seed = 0;
  int next_node = 0;
  std::vector<int> members;
  count = 0;
  while (true) {
    while (next_seed < seeds.size() && cluster[seeds[next_seed]] >= 0) ++next_seed;
    while (next_node < n && cluster[next_node] >= 0) ++next_node;
    if (next_node == n) return cluster;
    members.assign(1, next_seed < seeds.size() ? seeds[next_seed] : next_node);
    cluster[members[0]] = count;
    for (std::size_t k = 0; k < members.size(); ++k) {
      for (int e = pattern.graph_start()[members[k]]; e < pattern.graph_start()[members[k] + 1];
           ++e) {
        const int neighbour = pattern.graph()[e];
        if (cluster[neighbour] >= 0) continue;
        if (static_cast<int>(members.size()) == size) {
          seeds.push_back(neighbour);
        } else {
          cluster[neighbour] = count;
          members.push_back(neighbour);
        }
      }
    }
    ++count;
  }
}

// Scraps join the neighbouring cluster with which they share most edges.
void join_scraps(const LowerPattern& pattern, int size, int count, std::vector<int>& cluster) {
  std::vector<std::vector<int>> members(count);
  for (int i = 0; i < pattern.nodes(); ++i) members[cluster[i]].push_back(i);
  std::vector<int> edges(count, 0);
  for (int a = 0; a < count; ++a) {
    if (3 * static_cast<int>(members[a].size()) >= size) continue;
    int best = -1;
    for (const int i : members[a]) {
      for (int e = pattern.graph_start()[i]; e < pattern.graph_start()[i + 1]; ++e) {
        const int other = cluster[pattern.graph()[e]];
        if (other == a) continue;
        ++edges[other];
        if (best < 0 || edges[other] > edges[best]) best = other;
      }
    }
    if (best < 0) continue;  // a component of its own
    for (const int i : members[a]) {
      for (int e = pattern.graph_start()[i]; e < pattern.graph_start()[i + 1]; ++e) {
        edges[cluster[pattern.graph()[e]]] = 0;
      }
    }
    for (const int i : members[a]) cluster[i] = best;
    members[best].insert(members[best].end(), members[a].begin(), members[a].end());
    members[a].clear();
  }
}

}  // namespace

Aggregates aggregate(const LowerPattern& pattern, int size) {
  int count = 0;
  std::vector<int> cluster = grow(pattern, size, count);
  join_scraps(pattern, size, count, cluster);
  Aggregates result;
  result.node.resize(pattern.nodes());
  std::iota(result.node.begin(), result.node.end(), 0);
  std::ranges::stable_sort(result.node, {}, [&](int i) { return cluster[i]; });
  result.start.push_back(0);
  for (int k = 1; k <= pattern.nodes(); ++k) {
    if (k == pattern.nodes() || cluster[result.node[k]] != cluster[result.node[k - 1]]) {
      result.start.push_back(k);
    }
  }
  return result;
}

}  // namespace lilyan
