#include "lilyan/solve/block_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

// A chunk has at least so many blocks, about 100 kB and 10 µs; of large matrices more, as fewer
// blocks are stored twice then.
constexpr int kLeastBlocks = 4096;
constexpr int kMostBlocks = 16384;
constexpr int kManyChunks = 64;
constexpr int kWindow = 1024;  // most rows of a window: sums of so many fit into the fastest caches

// body(first, last) for the windows of a chunk's rows.
template <class Body>
void each_window(int first, int last, const Body& body) {
  for (; first < last; first += kWindow) body(first, std::min(first + kWindow, last));
}

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
  const int n = groups.empty() ? 0 : groups.back();
  cut(pattern, node, groups);
  std::vector<int> place(pattern.nodes(), -1);
  for (std::size_t k = 0; k < node.size(); ++k) place[node[k]] = static_cast<int>(k);
  const auto& graph_start = pattern.graph_start();
  start_.reserve(n + 1);
  start_.push_back(0);
  std::vector<int> row;
  for (std::size_t chunk = 0; chunk + 1 < chunk_rows_.size(); ++chunk) {
    each_window(chunk_rows_[chunk], chunk_rows_[chunk + 1], [&](int first, int last) {
      for (int k = first; k < last; ++k) {
        row.clear();
        for (int e = graph_start[node[k]]; e < graph_start[node[k] + 1]; ++e) {
          row.push_back(place[pattern.graph()[e]]);
        }
        std::ranges::sort(row);
        const auto outer = [&](int c) { return c < first || c >= last; };
        std::ranges::copy_if(row, std::back_inserter(column_), outer);
        inner_.push_back(static_cast<int>(column_.size()));
        std::ranges::copy_if(row, std::back_inserter(column_),
                             [&](int c) { return !outer(c) && c < k; });
        start_.push_back(static_cast<int>(column_.size()));
        diagonal_position_.push_back(pattern.block_position(node[k], node[k]));
        diagonal_length_.push_back(pattern.column_length(node[k]));
      }
    });
    const auto begin = column_.begin() + start_[chunk_rows_[chunk]];
    const bool border = std::any_of(begin, column_.end(), [&](int c) { return c >= n; });
    (border ? border_ : inside_).push_back(static_cast<int>(chunk));
  }
  column_.shrink_to_fit();
  source_.reserve(column_.size());
  for (int k = 0; k < n; ++k) {
    for (int e = start_[k]; e < start_[k + 1]; ++e) {
      const int i = std::max(node[k], node[column_[e]]);
      const int j = std::min(node[k], node[column_[e]]);
      const int length = pattern.column_length(j);
      source_.push_back({pattern.block_position(i, j), node[k] == i ? length : -length});
    }
  }
  // Loads of a block's last row reach one number beyond it.
  values_.assign(9 * column_.size() + 1, 0.0F);
  diagonal_.assign(9 * static_cast<std::size_t>(n) + 1, 0.0);
}

void BlockMatrix::cut(const LowerPattern& pattern, std::span<const int> node,
                      std::span<const int> groups) {
  const auto neighbours = [&](int k) {
    return pattern.graph_start()[node[k] + 1] - pattern.graph_start()[node[k]];
  };
  for (int k = 0; k < (groups.empty() ? 0 : groups.back()); ++k) blocks_ += neighbours(k) + 1;
  const int enough = std::clamp(blocks_ / kManyChunks, kLeastBlocks, kMostBlocks);
  chunks_.push_back(0);
  chunk_rows_.push_back(0);
  int blocks = 0;
  for (std::size_t g = 1; g < groups.size(); ++g) {
    for (int k = groups[g - 1]; k < groups[g]; ++k) blocks += neighbours(k);
    if (g + 1 < groups.size() && blocks < enough) continue;
    blocks = 0;
    chunks_.push_back(static_cast<int>(g));
    chunk_rows_.push_back(groups[g]);
  }
  partial_.resize(chunks_.size());
}

void BlockMatrix::assign(std::span<const double> lower, Digits digits) {
  digits_ = digits;
  if (digits == Digits::all) exact_.resize(values_.size());
  parallel_for(static_cast<int>(chunks_.size()) - 1, [&](int chunk) {
    each_window(chunk_rows_[chunk], chunk_rows_[chunk + 1], [&](int first, int last) {
      if (digits == Digits::single) {
        assign_window(first, last, lower.data(), values_);
      } else {
        assign_window(first, last, lower.data(), exact_);
      }
    });
  });
}

template <class Real>
void BlockMatrix::assign_window(int first, int last, const double* lower,
                                std::vector<Real>& values) {
  // By how much each row's sum was rounded; only its symmetric part is used, which is the same for
  // a block and its mirror image.
  double lost[kWindow][9];
  std::fill_n(&lost[0][0], 9 * (last - first), 0.0);
  for (int row = first; row < last; ++row) {
    double sum[9] = {};
    for (int k = start_[row]; k < start_[row + 1]; ++k) {
      const auto [position, signed_length] = source_[k];
      const int length = std::abs(signed_length);
      const double* begin = lower + position;
      const double* columns[3] = {begin, begin + length - 1, begin + 2 * length - 3};
      double entries[9];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c)
          entries[signed_length < 0 ? 3 * c + r : 3 * r + c] = columns[c][r];
      }
      Real* block = values.data() + 9 * std::ptrdiff_t{k};
      for (int e = 0; e < 9; ++e) block[e] = static_cast<Real>(entries[e]);
      // Or else GCC 12, which has several of them in a register, takes a rounded number for the number itself.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      double rounded[9];
      for (int e = 0; e < 9; ++e) rounded[e] = entries[e] - static_cast<double>(block[e]);
      for (int e = 0; e < 9; ++e) sum[e] += rounded[e];
      if (k < inner_[row]) continue;
      double* other = lost[column_[k] - first];
      for (int e = 0; e < 9; ++e) other[e] += rounded[e];
    }
    for (int e = 0; e < 9; ++e) lost[row - first][e] += sum[e];
  }
  for (int row = first; row < last; ++row) {
    const double* begin = lower + diagonal_position_[row];
    const int length = diagonal_length_[row];
    const double* columns[3] = {begin, begin + length - 1, begin + 2 * length - 3};
    double* block = diagonal_.data() + 9 * std::ptrdiff_t{row};
    const double* sum = lost[row - first];
    for (int c = 0; c < 3; ++c) {
      for (int r = c; r < 3; ++r) {  // only the lower triangle is there
        block[3 * c + r] = columns[c][r] + 0.5 * (sum[3 * c + r] + sum[3 * r + c]);
        block[3 * r + c] = block[3 * c + r];
      }
    }
  }
}

double BlockMatrix::multiply(const double* x, double* y) {
  const int chunks = static_cast<int>(chunks_.size()) - 1;
  parallel_for(chunks, [&](int chunk) { multiply_chunk(chunk, x, y); });
  double sum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) sum += partial_[chunk];
  return sum;
}

void BlockMatrix::multiply_chunks(std::span<const int> chunks, const double* x, double* y) {
  parallel_for(static_cast<int>(chunks.size()), [&](int k) { multiply_chunk(chunks[k], x, y); });
}

void BlockMatrix::multiply_chunk(int chunk, const double* x, double* y) {
  double dot = 0;
  each_window(chunk_rows_[chunk], chunk_rows_[chunk + 1], [&](int first, int last) {
    dot += digits_ == Digits::single ? multiply_window(first, last, values_.data(), x, y)
                                     : multiply_window(first, last, exact_.data(), x, y);
  });
  partial_[chunk] = dot;
}

// With blocks by rows, a row's sums over its blocks stay apart until its end, and what a block gives
// to its column's vertex is a sum of its rows. What is in a fourth place never counts.
template <class Real>
double BlockMatrix::multiply_window(int first, int last, const Real* values, const double* x,
                                    double* y) const {
  Quad sums[kWindow];
  for (int row = first; row < last; ++row) {
    const double* own = x + 3 * std::ptrdiff_t{row};
    const double own0 = own[0];
    const double own1 = own[1];
    const double own2 = own[2];
    Quad a = {};
    Quad b = {};
    Quad c = {};
    const Real* block = values + 9 * std::ptrdiff_t{start_[row]};
    int k = start_[row];
    for (; k < inner_[row]; ++k, block += 9) {
      const Quad p = load_quad(x + 3 * std::ptrdiff_t{column_[k]});
      a += load_quad(block) * p;
      b += load_quad(block + 3) * p;
      c += load_quad(block + 6) * p;
    }
    for (; k < start_[row + 1]; ++k, block += 9) {
      const Quad p = load_quad(x + 3 * std::ptrdiff_t{column_[k]});
      const Quad r0 = load_quad(block);
      const Quad r1 = load_quad(block + 3);
      const Quad r2 = load_quad(block + 6);
      a += r0 * p;
      b += r1 * p;
      c += r2 * p;
      sums[column_[k] - first] += r0 * own0 + r1 * own1 + r2 * own2;
    }
    const Quad low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Quad high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const double* centre = diagonal(row);
    sums[row - first] = __builtin_shufflevector(low, c, 0, 1, 4, -1) +
                        __builtin_shufflevector(high, c, 0, 1, 5, -1) +
                        __builtin_shufflevector(low, c, 2, 3, 6, -1) + load_quad(centre) * own0 +
                        load_quad(centre + 3) * own1 + load_quad(centre + 6) * own2;
  }
  double dot = 0;
  for (int row = first; row < last; ++row) {
    const std::ptrdiff_t at = 3 * std::ptrdiff_t{row};
    for (int r = 0; r < 3; ++r) {
      y[at + r] = sums[row - first][r];
      dot += x[at + r] * sums[row - first][r];
    }
  }
  return dot;
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
