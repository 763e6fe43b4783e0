// The rows of a shared Hessian that a process owns.
//
// A process assembles the lower triangle over its own vertices and the copies of others' beside them. Rows of
// its own vertices are complete there; what stands in those of copies is not used.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "app/distributed/mpi_distribution.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/core/share.hpp"

namespace lilyan::distributed {

class OwnedRows {
 public:
  using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

  OwnedRows(const BlockPattern& pattern, const Share& share, const MpiDistribution& ranks);

  // Rows are free vertices that this process owns, in the order of their nodes in the pattern.
  [[nodiscard]] int rows() const { return static_cast<int>(node_.size()); }
  [[nodiscard]] long first() const {
    return first_;
  }  // the number of the first among all processes
  [[nodiscard]] long all_rows() const { return all_rows_; }  // of all processes
  [[nodiscard]] int vertex(int row) const { return pattern_.free_vertices()[node_[row]]; }
  // The blocks of a row, with ascending columns: from begin(row) to begin(row + 1).
  [[nodiscard]] int begin(int row) const { return start_[row]; }
  [[nodiscard]] int diagonal(int row) const { return diagonal_[row]; }
  [[nodiscard]] int column_vertex(int k) const { return vertex_[k]; }
  // The row that the column is, among all processes; those of a row one after the other.
  [[nodiscard]] const int* columns(int k) const { return column_.data() + k; }
  [[nodiscard]] int column(int k) const { return column_[k]; }
  // The row here that the column is; −1: another process has it.
  [[nodiscard]] int own_column(int k) const {
    const long own = column_[k] - first_;
    return own >= 0 && own < rows() ? static_cast<int>(own) : -1;
  }
  // The block itself, from values of the pattern.
  [[nodiscard]] Mat3 block(int k, std::span<const double> values) const;

 private:
  struct Source {
    int position;
    int length;
    enum class Kind : char { as_it_is, transposed, diagonal } kind;
  };
  const BlockPattern& pattern_;
  std::vector<int> node_;
  std::vector<int> start_{0};
  std::vector<int> vertex_, column_;
  std::vector<int> diagonal_;  // the block of each row
  std::vector<Source> source_;
  long first_ = 0;
  long all_rows_ = 0;
};

}  // namespace lilyan::distributed
