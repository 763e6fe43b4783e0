#include "lilyan/solve/block_matrix.hpp"

#include <algorithm>
#include <cstdlib>

#include "lilyan/core/threads.hpp"

namespace lilyan {
namespace {

constexpr int kChunkBlocks = 4096;  // about 150 kB, 10 µs

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

}  // namespace lilyan
