#include "lilyan/assemble/force_sums.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace lilyan {
namespace {

using Row = PackOf<kForceRow>;

constexpr int kRowBytes = sizeof(Row);
static_assert(kRowBytes * (kZeroRows + kGroupRows * kBatchGroups) <= 1 << 16);

Row load_row(const char* from) {
  Row row;
  std::memcpy(&row, from, sizeof(row));
  return row;
}

struct VertexRows {
  int vertex;
  std::vector<int> rows;
};

std::vector<VertexRows> rows_by_vertex(std::span<const std::array<int, 4>> tets) {
  std::vector<std::pair<int, int>> all;  // vertex, row
  for (int k = 0; k < static_cast<int>(tets.size()); ++k) {
    for (int a = 0; a < 4; ++a) {
      const int row = kZeroRows + kGroupRows * (k / kLanes) + force_row(a, k % kLanes);
      all.emplace_back(tets[static_cast<std::size_t>(k)][static_cast<std::size_t>(a)], row);
    }
  }
  std::ranges::stable_sort(all, {}, &std::pair<int, int>::first);
  std::vector<VertexRows> result;
  for (const auto& [vertex, row] : all) {
    if (result.empty() || result.back().vertex != vertex) result.push_back({vertex, {}});
    result.back().rows.push_back(row);
  }
  return result;
}

}  // namespace

void ForceSums::add_batch(std::span<const std::array<int, 4>> tets) {
  std::vector<VertexRows> vertices = rows_by_vertex(tets);
  std::ranges::stable_sort(vertices, std::greater{}, [](const auto& v) { return v.rows.size(); });
  for (std::size_t k = 0; k < vertices.size(); k += kSideBySide) {
    VertexSums sum{.vertex = {},
                   .first = static_cast<int>(rows.size()),
                   .count = static_cast<int>(vertices[k].rows.size())};
    for (std::size_t j = 0; j < kSideBySide; ++j) {
      sum.vertex[j] = k + j < vertices.size() ? vertices[k + j].vertex : -1;
    }
    for (std::size_t n = 0; n < vertices[k].rows.size(); ++n) {
      for (std::size_t j = 0; j < kSideBySide; ++j) {
        const bool any = k + j < vertices.size() && n < vertices[k + j].rows.size();
        const int row = any ? vertices[k + j].rows[n] : 0;
        rows.push_back(static_cast<std::uint16_t>(kRowBytes * row));
      }
    }
    sums.push_back(sum);
  }
}

void ForceSums::add_forces(int first, int last, const double* rows_of_batch,
                           double* gradient) const {
  const char* bytes = reinterpret_cast<const char*>(rows_of_batch);
  for (int k = first; k < last; ++k) {
    const VertexSums& s = sums[static_cast<std::size_t>(k)];
    const std::uint16_t* row = rows.data() + s.first;
    Row sum[kSideBySide] = {};
    for (int n = 0; n < s.count; ++n, row += kSideBySide) {
      for (int j = 0; j < kSideBySide; ++j) sum[j] += load_row(bytes + row[j]);
    }
    for (int j = 0; j < kSideBySide; ++j) {
      if (s.vertex[j] < 0) break;
      double* target = gradient + 3 * std::ptrdiff_t{s.vertex[j]};
      for (int i = 0; i < 3; ++i) target[i] += sum[j][i];
    }
  }
}

double* force_rows() {
  struct alignas(kLanes * sizeof(double)) Memory {
    double rows[kForceRow * (kZeroRows + kGroupRows * kBatchGroups)] = {};
  };
  thread_local Memory memory;
  return memory.rows;
}

}  // namespace lilyan
