#include "lilyan/assemble/pattern.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

LowerPattern::LowerPattern(int block, std::vector<int> graph_start, std::vector<int> graph,
                           std::span<const int> stored)
    : block_(block), graph_start_(std::move(graph_start)), graph_(std::move(graph)) {
  const int n = nodes();
  const double below = 0.5 * static_cast<double>(graph_.size());
  const double entries = (below * block + 0.5 * n * (block + 1)) * block;
  if (entries > 0.9 * std::numeric_limits<int>::max()) {
    throw Error("the system is too large: its Hessian has more entries than can be indexed");
  }
  column_start_.resize(static_cast<std::size_t>(block * n));
  column_size_.resize(column_start_.size());
  row_.reserve(static_cast<std::size_t>(entries));
  for (int k = 0; k < n; ++k) {
    const int j = stored.empty() ? k : stored[k];
    const auto end = graph_.begin() + graph_start_[j + 1];
    const auto lower = std::upper_bound(graph_.begin() + graph_start_[j], end, j);
    for (int c = 0; c < block; ++c) {
      const auto start = static_cast<int>(row_.size());
      for (int r = c; r < block; ++r) row_.push_back(block * j + r);
      for (auto i = lower; i != end; ++i) {
        for (int r = 0; r < block; ++r) row_.push_back(block * *i + r);
      }
      column_start_[block * j + c] = start;
      column_size_[block * j + c] = static_cast<int>(row_.size()) - start;
    }
  }
}

int LowerPattern::block_position(int i, int j) const {
  const auto begin = row_.begin() + column_start_[block_ * j];
  const auto end = begin + column_length(j);
  return static_cast<int>(std::lower_bound(begin, end, block_ * i) - row_.begin());
}

namespace {

// Stencils that depend on what energies remember, or all others.
template <class Function>
void each_stencils(const World& world, bool remembered, Function function) {
  const auto take = [&](const Stencils& now, const Stencils& at_first) {
    if ((now.vertices.data() != at_first.vertices.data()) == remembered) function(now);
  };
  for (const auto& energy : world.system.energies()) {
    take(world.stencils(*energy), energy->stencils());
  }
  for (const auto& dissipation : world.system.dissipations()) {
    take(dissipation->stencils(world.memory), dissipation->stencils(nullptr));
  }
}

}  // namespace

BlockPattern::BlockPattern(const World& world) {
  const int dimension = world.system.dimension();
  auto [vertices, index] = world.system.embedding().free_vertices();
  free_vertices_ = std::move(vertices);
  free_index_ = std::move(index);
  for (const int v : free_vertices_) {
    for (int i = 0; i < dimension; ++i) dof_.push_back(dimension * v + i);
  }
  stored_ = order_of_use(world);
  Graph lasting = find_graph(world, false, {});
  if (!world.memory) {
    take(world, std::move(lasting));
    return;
  }
  lasting_ = std::move(lasting);
  grow(world);
}

void BlockPattern::grow(const World& world) { take(world, find_graph(world, true, lasting_)); }

void BlockPattern::take(const World& world, Graph graph) {
  const int dimension = world.system.dimension();
  LowerPattern::operator=(
      LowerPattern(dimension, std::move(graph.start), std::move(graph.neighbours), stored_));
  ++version_;
  if (world.system.embedding().fixed_count() == 0) return;
  int longest = dimension;
  for (int j = 0; j < nodes(); ++j) longest = std::max(longest, column_length(j));
  scratch_ = dimension * longest;
}

std::vector<int> BlockPattern::order_of_use(const World& world) const {
  std::vector<char> seen(free_vertices_.size(), 0);
  std::vector<int> order;
  order.reserve(free_vertices_.size());
  const auto add = [&](int i) {
    if (i < 0 || seen[i] != 0) return;
    seen[i] = 1;
    order.push_back(i);
  };
  each_stencils(world, false, [&](const Stencils& s) {
    for (const int v : s.vertices) add(free_index_[v]);
  });
  for (int i = 0; i < static_cast<int>(free_vertices_.size()); ++i) add(i);
  return order;
}

// Counts, then fills, then sorts each node's list: no list of all pairs at once.
BlockPattern::Graph BlockPattern::find_graph(const World& world, bool remembered,
                                             const Graph& beside) const {
  const auto each_pair = [&](const auto& function) {
    for (std::size_t i = 0; i + 1 < beside.start.size(); ++i) {
      for (int k = beside.start[i]; k < beside.start[i + 1]; ++k) {
        function(static_cast<int>(i), beside.neighbours[k]);
      }
    }
    each_stencils(world, remembered, [&](const Stencils& s) {
      for (std::size_t first = 0; first < s.vertices.size(); first += s.size) {
        for (int a = 0; a < s.size; ++a) {
          for (int b = 0; b < s.size; ++b) {
            const int i = free_index_[s.vertices[first + a]];
            const int j = free_index_[s.vertices[first + b]];
            if (i >= 0 && j >= 0 && i != j) function(i, j);
          }
        }
      }
    });
  };
  const std::size_t n = free_vertices_.size();
  std::vector<std::size_t> start(n + 1, 0);
  each_pair([&](int i, int) { ++start[i + 1]; });
  for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
  std::vector<int> all(start[n]);
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  each_pair([&](int i, int j) { all[next[i]++] = j; });
  Graph graph{.start = std::vector<int>(n + 1, 0), .neighbours = {}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(start[i]);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
    std::sort(begin, end);
    graph.neighbours.insert(graph.neighbours.end(), begin, std::unique(begin, end));
    graph.start[i + 1] = static_cast<int>(graph.neighbours.size());
  }
  graph.neighbours.shrink_to_fit();
  return graph;
}

BlockSlots BlockPattern::slots(const Stencils& s) const {
  BlockSlots slots;
  slots.end = entries();
  slots.position.reserve(s.vertices.size() * (s.size + 1) / 2);
  slots.column_length.reserve(s.vertices.size());
  for (std::size_t first = 0; first < s.vertices.size(); first += s.size) {
    for (int b = 0; b < s.size; ++b) {
      const int j = free_index_[s.vertices[first + b]];
      slots.column_length.push_back(j < 0 ? dimension() : column_length(j));
      for (int a = b; a < s.size; ++a) {
        const int i = free_index_[s.vertices[first + a]];
        slots.position.push_back(i < 0 || j < 0 ? entries() : block_position(i, j));
      }
    }
  }
  return slots;
}

// (A vertex's block has its rows one after the other.)
void BlockPattern::add_mass(const Mass& mass, double weight, const Vector* damping,
                            std::vector<double>& values) const {
  parallel_ranges(dofs(), [&](int first, int last) {
    for (int c = first; c < last; ++c) {
      const int column = dof(c);
      mass.each_entry(column, [&](int row, double m) {
        if (row < column) return;
        const double damped = damping && row == column ? weight * (*damping)[row] : 0.0;
        values[column_start()[c] + row - column] += m + damped;
      });
    }
  });
}

FullPattern::FullPattern(const BlockPattern& half) : half_(&half), version_(half.version()) {
  const int dim = half.dimension();
  const int n = static_cast<int>(half.free_vertices().size());
  column_start_.push_back(0);
  std::vector<int> block_rows;
  for (int j = 0; j < n; ++j) {
    block_rows.assign(half.graph().begin() + half.graph_start()[j],
                      half.graph().begin() + half.graph_start()[j + 1]);
    block_rows.insert(std::ranges::lower_bound(block_rows, j), j);
    for (int c = 0; c < dim; ++c) {
      for (const int i : block_rows) {
        for (int r = 0; r < dim; ++r) {
          if (i == j && r == c) diagonal_.push_back(static_cast<int>(row_.size()));
          row_.push_back(dim * i + r);
        }
      }
      column_start_.push_back(static_cast<int>(row_.size()));
    }
  }
  below_.resize(static_cast<std::size_t>(half.entries()));
  above_.resize(below_.size());
  for (int c = 0; c < half.dofs(); ++c) {
    for (int k = half.column_start()[c]; k < half.column_end(c); ++k) {
      below_[k] = find(half.row()[k], c);
      above_[k] = find(c, half.row()[k]);
    }
  }
}

void FullPattern::add_mass(const Mass& mass, std::span<double> full) const {
  for (int c = 0; c < dofs(); ++c) {
    const int column = half_->dof(c);
    mass.each_entry(column, [&](int row, double m) { full[diagonal_[c] + row - column] += m; });
  }
}

int FullPattern::find(int row, int column) const {
  const auto begin = row_.begin() + column_start_[column];
  const auto end = row_.begin() + column_start_[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - row_.begin());
}

void FullPattern::mirror(std::span<const double> lower, std::span<double> full) const {
  for (std::size_t k = 0; k < below_.size(); ++k) {
    full[below_[k]] = lower[k];
    full[above_[k]] = lower[k];
  }
}

void FullPattern::add_mirrored(std::span<const double> lower, std::span<double> full) const {
  for (std::size_t k = 0; k < below_.size(); ++k) {
    full[below_[k]] += lower[k];
    if (above_[k] != below_[k]) full[above_[k]] += lower[k];
  }
}

}  // namespace lilyan
