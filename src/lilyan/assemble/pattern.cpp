#include "lilyan/assemble/pattern.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan {

BlockPattern::BlockPattern(const System& system)
    : dimension_(system.dimension()), free_index_(system.vertices(), -1) {
  for (int v = 0; v < system.vertices(); ++v) {
    if (!system.fixed(v)) {
      free_index_[v] = static_cast<int>(free_vertices_.size());
      free_vertices_.push_back(v);
    }
  }
  const int n = static_cast<int>(free_vertices_.size());

  std::vector<std::pair<int, int>> edges;  // both directions
  const auto add_edges = [&](const Stencils& s) {
    for (std::size_t first = 0; first < s.vertices.size(); first += s.size) {
      for (int a = 0; a < s.size; ++a) {
        for (int b = 0; b < s.size; ++b) {
          const int i = free_index_[s.vertices[first + a]];
          const int j = free_index_[s.vertices[first + b]];
          if (i >= 0 && j >= 0 && i != j) edges.emplace_back(i, j);
        }
      }
    }
  };
  for (const auto& energy : system.energies()) add_edges(energy->stencils());
  for (const auto& dissipation : system.dissipations()) add_edges(dissipation->stencils());
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  graph_start_.assign(n + 1, 0);
  graph_.reserve(edges.size());
  for (const auto& [i, j] : edges) {
    ++graph_start_[i + 1];
    graph_.push_back(j);
  }
  for (int i = 0; i < n; ++i) graph_start_[i + 1] += graph_start_[i];

  const int dim = dimension_;
  if (static_cast<double>(edges.size()) * 4.5 + 6.0 * n > std::numeric_limits<int>::max() / 2.0) {
    throw Error("the system is too large: its Hessian has more entries than can be indexed");
  }
  column_start_.push_back(0);
  int longest = dim;
  for (int j = 0; j < n; ++j) {
    const auto begin = graph_.begin() + graph_start_[j];
    const auto end = graph_.begin() + graph_start_[j + 1];
    const auto below = std::upper_bound(begin, end, j);
    for (int c = 0; c < dim; ++c) {
      for (int r = c; r < dim; ++r) row_.push_back(dim * j + r);
      for (auto i = below; i != end; ++i) {
        for (int r = 0; r < dim; ++r) row_.push_back(dim * *i + r);
      }
      column_start_.push_back(static_cast<int>(row_.size()));
    }
    longest = std::max(longest, column_start_[dim * j + 1] - column_start_[dim * j]);
  }
  scratch_ = system.fixed_count() > 0 ? dim * longest : 0;
}

BlockSlots BlockPattern::slots(const Stencils& s) const {
  const int dim = dimension_;
  BlockSlots slots;
  slots.position.reserve(s.vertices.size() * (s.size + 1) / 2);
  slots.column_length.reserve(s.vertices.size());
  for (std::size_t first = 0; first < s.vertices.size(); first += s.size) {
    for (int b = 0; b < s.size; ++b) {
      const int j = free_index_[s.vertices[first + b]];
      slots.column_length.push_back(j < 0 ? dim
                                          : column_start_[dim * j + 1] - column_start_[dim * j]);
      for (int a = b; a < s.size; ++a) {
        const int i = free_index_[s.vertices[first + a]];
        if (i < 0 || j < 0) {
          slots.position.push_back(entries());
          continue;
        }
        const auto begin = row_.begin() + column_start_[dim * j];
        const auto end = row_.begin() + column_start_[dim * j + 1];
        slots.position.push_back(
            static_cast<int>(std::lower_bound(begin, end, dim * i) - row_.begin()));
      }
    }
  }
  return slots;
}

}  // namespace lilyan
