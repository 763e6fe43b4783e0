#include "lilyan/assemble/full_pattern.hpp"

#include <algorithm>

namespace lilyan {

FullPattern::FullPattern(const BlockPattern& half) : half_(half) {
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
  for (int c = 0; c < half.dofs(); ++c) {
    for (int k = half.column_start()[c]; k < half.column_start()[c + 1]; ++k) {
      below_.push_back(find(half.row()[k], c));
      above_.push_back(find(c, half.row()[k]));
    }
  }
}

int FullPattern::find(int row, int column) const {
  const auto begin = row_.begin() + column_start_[column];
  const auto end = row_.begin() + column_start_[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - row_.begin());
}

FullBlockSlots FullPattern::slots(const Stencils& s) const {
  const int dim = half_.dimension();
  FullBlockSlots slots;
  slots.position.reserve(s.vertices.size() * s.size);
  slots.column_length.reserve(s.vertices.size());
  for (std::size_t first = 0; first < s.vertices.size(); first += s.size) {
    for (int b = 0; b < s.size; ++b) {
      const int j = half_.free_index()[s.vertices[first + b]];
      slots.column_length.push_back(j < 0 ? 0
                                          : column_start_[dim * j + 1] - column_start_[dim * j]);
      for (int a = 0; a < s.size; ++a) {
        const int i = half_.free_index()[s.vertices[first + a]];
        slots.position.push_back(i < 0 || j < 0 ? -1 : find(dim * i, dim * j));
      }
    }
  }
  return slots;
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
