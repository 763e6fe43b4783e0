#include "app/distributed/owned_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan::distributed {

OwnedRows::OwnedRows(const BlockPattern& pattern, const Share& share, const MpiDistribution& ranks)
    : pattern_(pattern) {
  const std::vector<int>& free = pattern.free_vertices();
  for (int n = 0; n < pattern.nodes(); ++n) {
    if (share.owns(3 * free[static_cast<std::size_t>(n)])) node_.push_back(n);
  }
  const double own = rows();
  const std::vector<double> all = ranks.gather({&own, 1});
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (static_cast<int>(r) < ranks.rank()) first_ += std::lround(all[r]);
    all_rows_ += std::lround(all[r]);
  }
  if (all_rows_ > 700'000'000) {
    throw Error(
        "the scene has too many vertices for this build of PETSc, whose indices have 32 bits");
  }
  // The number of each vertex here, those of copies from their owners.
  std::vector<double> number(pattern.free_index().size(), -1.0);
  for (int row = 0; row < rows(); ++row) {
    number[static_cast<std::size_t>(vertex(row))] = static_cast<double>(first_ + row);
  }
  share.refresh(number.data(), 1);

  std::vector<std::pair<int, int>> columns;  // number, node
  for (const int a : node_) {
    columns.clear();
    const auto add = [&](int b) {
      const int v = free[static_cast<std::size_t>(b)];
      columns.emplace_back(static_cast<int>(number[static_cast<std::size_t>(v)]), b);
    };
    add(a);
    for (int k = pattern.graph_start()[a]; k < pattern.graph_start()[a + 1]; ++k) {
      add(pattern.graph()[static_cast<std::size_t>(k)]);
    }
    std::ranges::sort(columns);
    for (const auto& [column, b] : columns) {
      if (a == b) diagonal_.push_back(static_cast<int>(column_.size()));
      column_.push_back(column);
      vertex_.push_back(free[static_cast<std::size_t>(b)]);
      source_.push_back({.position = pattern.block_position(std::max(a, b), std::min(a, b)),
                         .length = pattern.column_length(std::min(a, b)),
                         .kind = a == b  ? Source::Kind::diagonal
                                 : a > b ? Source::Kind::as_it_is
                                         : Source::Kind::transposed});
    }
    start_.push_back(static_cast<int>(column_.size()));
  }
}

OwnedRows::Mat3 OwnedRows::block(int k, std::span<const double> values) const {
  const Source& source = source_[static_cast<std::size_t>(k)];
  const double* from = values.data() + source.position;
  Mat3 block;
  for (int c = 0; c < 3; ++c) {
    const bool diagonal = source.kind == Source::Kind::diagonal;
    for (int r = diagonal ? c : 0; r < 3; ++r) {
      const double entry = from[lower_offset(r, c, source.length)];
      if (source.kind != Source::Kind::transposed) block(r, c) = entry;
      if (source.kind != Source::Kind::as_it_is) block(c, r) = entry;
    }
  }
  return block;
}

}  // namespace lilyan::distributed
