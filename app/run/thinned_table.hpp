// Columns of numbers that grow with a run up to a bound: when there are too many rows, every second
// one is dropped, and from then on only every second new one is kept.
#pragma once

#include <cstddef>
#include <vector>

#include "lilyan/saving/archive.hpp"

namespace lilyan {

class ThinnedTable {
 public:
  ThinnedTable(std::size_t columns, std::size_t most) : columns_(columns), most_(most) {}

  // Whether the next row is kept; if so, all columns must be set.
  [[nodiscard]] bool due() {
    if (columns_.empty()) return false;
    if (seen_++ % stride_ != 0) return false;
    if (columns_[0].size() < most_) return true;
    for (auto& column : columns_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < column.size(); i += 2) column[kept++] = column[i];
      column.resize(kept);
    }
    stride_ *= 2;
    return (seen_ - 1) % stride_ == 0;
  }
  void set(std::size_t column, double value) { columns_[column].push_back(value); }
  // Divides all numbers of a column.
  void divide(std::size_t column, double by) {
    for (double& value : columns_[column]) value /= by;
  }

  [[nodiscard]] const std::vector<double>& operator[](std::size_t c) const { return columns_[c]; }
  void archive(Archive& a) { a(columns_, stride_, seen_); }
  [[nodiscard]] bool empty() const { return columns_.empty() || columns_[0].empty(); }

 private:
  std::vector<std::vector<double>> columns_;
  std::size_t most_;
  std::size_t stride_ = 1;
  std::size_t seen_ = 0;
};

}  // namespace lilyan
