// The sparsity pattern of a system's Hessian, computed once.
#pragma once

#include <vector>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// Lower triangle of the Hessian over the free vertices, in compressed columns with ascending rows:
// n×n blocks, n consecutive columns per vertex, where n is the system's dimension. Fixed vertices
// are left out.
class BlockPattern {
 public:
  explicit BlockPattern(const System& system);

  [[nodiscard]] int dimension() const { return dimension_; }
  [[nodiscard]] int dofs() const { return dimension_ * static_cast<int>(free_vertices_.size()); }
  // Degree of freedom of the system that a column stands for.
  [[nodiscard]] int dof(int column) const {
    return dimension_ * free_vertices_[static_cast<std::size_t>(column / dimension_)] +
           column % dimension_;
  }
  [[nodiscard]] const std::vector<int>& column_start() const { return column_start_; }
  [[nodiscard]] const std::vector<int>& row() const { return row_; }
  [[nodiscard]] int entries() const { return column_start_.back(); }
  // Entries plus the scratch area that blocks of fixed vertices are written to.
  [[nodiscard]] int storage() const { return entries() + scratch_; }
  // Position of the diagonal entry of a column is column_start()[column].

  // System vertex of each free vertex, ascending; free index of each system vertex, −1 if fixed.
  [[nodiscard]] const std::vector<int>& free_vertices() const { return free_vertices_; }
  [[nodiscard]] const std::vector<int>& free_index() const { return free_index_; }
  // Neighbours of each free vertex among the free ones, both directions, without itself.
  [[nodiscard]] const std::vector<int>& graph_start() const { return graph_start_; }
  [[nodiscard]] const std::vector<int>& graph() const { return graph_; }

  [[nodiscard]] BlockSlots slots(const Stencils& stencils) const;

 private:
  int dimension_;
  std::vector<int> free_vertices_;
  std::vector<int> free_index_;
  std::vector<int> graph_start_;
  std::vector<int> graph_;
  std::vector<int> column_start_;
  std::vector<int> row_;
  int scratch_ = 0;
};

}  // namespace lilyan
