// Sparsity patterns: of symmetric matrices of blocks, of a system's Hessian.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan {

// Lower triangle of a symmetric matrix of b×b blocks, in compressed columns with ascending rows: b
// consecutive columns per node. The diagonal entry of a column is its first. Nodes may lie in memory in
// another order than that of their numbers, so a column does not end where the next one starts.
class LowerPattern {
 public:
  // Neighbours of each node, both directions, ascending and without the node itself; and the nodes in
  // the order in which their columns are to be stored, if that is not the order of their numbers.
  LowerPattern(int block, std::vector<int> graph_start, std::vector<int> graph,
               std::span<const int> stored = {});

  [[nodiscard]] int block() const { return block_; }
  [[nodiscard]] int nodes() const { return static_cast<int>(graph_start_.size()) - 1; }
  [[nodiscard]] int dofs() const { return block_ * nodes(); }
  [[nodiscard]] const std::vector<int>& graph_start() const { return graph_start_; }
  [[nodiscard]] const std::vector<int>& graph() const { return graph_; }
  [[nodiscard]] const std::vector<int>& column_start() const { return column_start_; }
  [[nodiscard]] const std::vector<int>& column_size() const { return column_size_; }
  [[nodiscard]] int column_end(int column) const {
    return column_start_[column] + column_size_[column];
  }
  [[nodiscard]] const std::vector<int>& row() const { return row_; }
  [[nodiscard]] int entries() const { return static_cast<int>(row_.size()); }
  // Length L of the first column of a node. Entry (r,c) of the node's block with node i ≥ j is at
  // block_position(i, j) + lower_offset(r, c, L).
  [[nodiscard]] int column_length(int node) const { return column_size_[block_ * node]; }
  [[nodiscard]] int block_position(int i, int j) const;

 protected:
  LowerPattern() = default;

 private:
  int block_ = 1;
  std::vector<int> graph_start_;
  std::vector<int> graph_;
  std::vector<int> column_start_;
  std::vector<int> column_size_;
  std::vector<int> row_;
};

// The pattern of a system's Hessian, with the free vertices as nodes and blocks of the system's dimension.
// Fixed vertices are left out. Columns are stored in the order in which the elements, one after the
// other, first need them: of a large body what a loop over elements writes to is close together then,
// however its vertices are numbered.
//
// Between two steps it may get other blocks, of pairs that have come into contact. Whoever keeps something that was
// made of the pattern makes it anew when the version is another one.
class BlockPattern : public LowerPattern {
 public:
  explicit BlockPattern(const World& world);

  // Takes the blocks of the stencils that change between steps as they are now, beside those of all others.
  void grow(const World& world);
  [[nodiscard]] int version() const { return version_; }

  [[nodiscard]] int dimension() const { return block(); }
  // Degree of freedom of the system that a column stands for.
  [[nodiscard]] int dof(int column) const { return dof_[static_cast<std::size_t>(column)]; }
  // The column of a free one.
  [[nodiscard]] int column(int dof) const {
    return block() * free_index_[static_cast<std::size_t>(dof / block())] + dof % block();
  }
  // Entries plus the scratch area that blocks of fixed vertices are written to.
  [[nodiscard]] int storage() const { return entries() + scratch_; }

  // System vertex of each free vertex, ascending; free index of each system vertex, −1 if fixed.
  [[nodiscard]] const std::vector<int>& free_vertices() const { return free_vertices_; }
  [[nodiscard]] const std::vector<int>& free_index() const { return free_index_; }

  [[nodiscard]] BlockSlots slots(const Stencils& stencils) const;
  // values += M + weight D, where D is the diagonal of damping forces, if there are any.
  void add_mass(const Mass& mass, double weight, const Vector* damping,
                std::vector<double>& values) const;

 private:
  // Neighbours of each node.
  struct Graph {
    std::vector<int> start, neighbours;
  };
  [[nodiscard]] std::vector<int> order_of_use(const World& world) const;
  // Those that elements give it, of stencils that are remembered or of all others, beside the neighbours it has.
  [[nodiscard]] Graph find_graph(const World& world, bool remembered, const Graph& beside) const;
  void take(const World& world, Graph graph);

  std::vector<int> free_vertices_;
  std::vector<int> free_index_;
  std::vector<int> dof_;     // of each column
  std::vector<int> stored_;  // nodes in the order in which their columns are stored
  Graph lasting_;            // of stencils that stay the same, where others may not
  int scratch_ = 0;
  int version_ = 0;
};

// Both triangles of that matrix, for Jacobians that are not symmetric: compressed columns with
// ascending rows over the free vertices, in n×n blocks. Each vertex has n columns of the same
// length, over itself and its neighbours.
class FullPattern {
 public:
  // The half pattern must outlive this.
  explicit FullPattern(const BlockPattern& half);

  [[nodiscard]] const BlockPattern& half() const { return *half_; }
  // Whether the half pattern is still the one that this was made of.
  [[nodiscard]] bool is_current() const { return version_ == half_->version(); }
  [[nodiscard]] int dofs() const { return half_->dofs(); }
  [[nodiscard]] int entries() const { return column_start_.back(); }
  [[nodiscard]] const std::vector<int>& column_start() const { return column_start_; }
  [[nodiscard]] const std::vector<int>& row() const { return row_; }
  // Position of a column's diagonal entry.
  [[nodiscard]] const std::vector<int>& diagonal() const { return diagonal_; }

  // full = the symmetric matrix whose lower triangle has these values in the half pattern.
  void mirror(std::span<const double> lower, std::span<double> full) const;
  // full += that matrix.
  void add_mirrored(std::span<const double> lower, std::span<double> full) const;
  // full += M
  void add_mass(const Mass& mass, std::span<double> full) const;

 private:
  [[nodiscard]] int find(int row, int column) const;

  const BlockPattern* half_;
  int version_;
  std::vector<int> column_start_;
  std::vector<int> row_;
  std::vector<int> diagonal_;
  // Where each lower entry goes, and where its mirror image does.
  std::vector<int> below_, above_;
};

}  // namespace lilyan
