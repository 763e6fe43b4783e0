#include "lilyan/solve/block_matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "lilyan/core/threads.hpp"

namespace lilyan {
namespace {

constexpr int kChunkBlocks = 4096;  // about 150 kB, 10 µs

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

BlockMatrix::BlockMatrix(const LowerPattern& pattern, std::span<const int> node,
                         std::span<const int> groups) {
  const int n = pattern.nodes();
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[node[k]] = k;
  const auto& graph_start = pattern.graph_start();
  start_.reserve(n + 1);
  start_.push_back(0);
  column_.reserve(pattern.graph().size());
  std::vector<int> row;
  for (int k = 0; k < n; ++k) {
    row.clear();
    for (int e = graph_start[node[k]]; e < graph_start[node[k] + 1]; ++e) {
      row.push_back(place[pattern.graph()[e]]);
    }
    std::ranges::sort(row);
    column_.insert(column_.end(), row.begin(), row.end());
    diagonal_position_.push_back(pattern.block_position(node[k], node[k]));
    diagonal_length_.push_back(pattern.column_length(node[k]));
    start_.push_back(static_cast<int>(column_.size()));
  }
  source_.reserve(column_.size());
  for (int k = 0; k < n; ++k) {
    for (int e = start_[k]; e < start_[k + 1]; ++e) {
      const int i = std::max(node[k], node[column_[e]]);
      const int j = std::min(node[k], node[column_[e]]);
      const int length = pattern.column_length(j);
      source_.push_back({pattern.block_position(i, j), node[k] == i ? length : -length});
    }
  }
  // Loads of a block's last column reach one number beyond it.
  values_.assign(9 * column_.size() + 1, 0.0F);
  diagonal_.assign(9 * static_cast<std::size_t>(n) + 1, 0.0);

  chunks_.push_back(0);
  chunk_rows_.push_back(0);
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const bool last = g + 1 == groups.size();
    if (last || start_[groups[g]] - start_[chunk_rows_.back()] >= kChunkBlocks) {
      chunks_.push_back(static_cast<int>(g));
      chunk_rows_.push_back(groups[g]);
    }
  }
  partial_.resize(chunks_.size());
}

void BlockMatrix::assign(std::span<const double> lower) {
  parallel_for(static_cast<int>(chunks_.size()) - 1, [&](int chunk) {
    for (int row = chunk_rows_[chunk]; row < chunk_rows_[chunk + 1]; ++row) {
      assign_row(row, lower.data());
    }
  });
}

void BlockMatrix::assign_row(int row, const double* lower) {
  double lost[9] = {};
  for (int k = start_[row]; k < start_[row + 1]; ++k) {
    const auto [position, signed_length] = source_[k];
    const int length = std::abs(signed_length);
    const double* first = lower + position;
    const double* columns[3] = {first, first + length - 1, first + 2 * length - 3};
    float* block = values_.data() + 9 * std::ptrdiff_t{k};
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const int e = signed_length < 0 ? 3 * r + c : 3 * c + r;
        block[e] = static_cast<float>(columns[c][r]);
        lost[e] += columns[c][r] - static_cast<double>(block[e]);
      }
    }
  }
  const double* first = lower + diagonal_position_[row];
  const int length = diagonal_length_[row];
  const double* columns[3] = {first, first + length - 1, first + 2 * length - 3};
  double* block = diagonal_.data() + 9 * std::ptrdiff_t{row};
  for (int c = 0; c < 3; ++c) {
    for (int r = c; r < 3; ++r) {  // only the lower triangle is there
      block[3 * c + r] = columns[c][r] + 0.5 * (lost[3 * c + r] + lost[3 * r + c]);
      block[3 * r + c] = block[3 * c + r];
    }
  }
}

double BlockMatrix::multiply(const double* x, double* y) {
  const int chunks = static_cast<int>(chunks_.size()) - 1;
  parallel_for(chunks, [&](int chunk) {
    double dot = 0;
    for (int row = chunk_rows_[chunk]; row < chunk_rows_[chunk + 1]; ++row) {
      // Two sums, since one alone would wait for itself.
      const double* own = x + 3 * std::ptrdiff_t{row};
      const double* centre = diagonal(row);
      Quad even = load_quad(centre) * own[0] + load_quad(centre + 6) * own[2];
      Quad odd = load_quad(centre + 3) * own[1];
      const float* block = this->block(start_[row]);
      for (int k = start_[row]; k < start_[row + 1]; ++k, block += 9) {
        const double* p = x + 3 * std::ptrdiff_t{column_[k]};
        even += load_quad(block) * p[0];
        odd += load_quad(block + 3) * p[1];
        even += load_quad(block + 6) * p[2];
      }
      even += odd;
      double* result = y + 3 * std::ptrdiff_t{row};
      for (int r = 0; r < 3; ++r) {
        result[r] = even[r];
        dot += own[r] * even[r];
      }
    }
    partial_[chunk] = dot;
  });
  double sum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) sum += partial_[chunk];
  return sum;
}

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
