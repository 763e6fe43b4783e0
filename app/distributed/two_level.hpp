// The two-level preconditioner of solve/coarse_space.hpp for a matrix that several processes share: vertices one
// by one, and rigid motions of clusters of vertices. A cluster's vertices belong to one process. The matrix of the
// clusters is small; every process factorises all of it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "app/distributed/mpi_distribution.hpp"
#include "app/distributed/owned_rows.hpp"
#include "lilyan/solve/block_matrix.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan::distributed {

class TwoLevel {
 public:
  // All must outlive this.
  TwoLevel(const OwnedRows& rows, const Share& share, const MpiDistribution& ranks, int vertices);

  // For a matrix with these values. Eigenvalues of a vertex's block are raised to half its mass where they are
  // smaller. The matrix of the clusters is made anew on request, with vertices where x has them.
  // False when it is not positive definite, in all processes.
  [[nodiscard]] bool prepare(std::span<const double> values, const Vector& x, const Vector& mass,
                             bool renew);
  // z = M⁻¹ r, numbers of this process's rows. One exchange of numbers between all processes.
  void apply(const double* r, double* z);

  // Total numbers, of all processes.
  [[nodiscard]] int clusters() const { return all_clusters_; }

 private:
  void find_modes(const Vector& x);
  [[nodiscard]] bool build(std::span<const double> values);

  using Mat3d = Eigen::Matrix3d;
  const OwnedRows& rows_;
  const Share& share_;
  const MpiDistribution& ranks_;
  Aggregates aggregates_;  // of this process's rows
  int first_cluster_ = 0;
  int all_clusters_ = 0;
  std::vector<int> cluster_of_;  // of each vertex here, copies too; −1: it is fixed
  // Blocks of a row that are summed up into the same block of the clusters' matrix.
  struct Group {
    int slot;  // of slots_
    int begin, end;
  };
  std::vector<Group> groups_;
  std::vector<int> group_start_{0};            // of each row
  std::vector<int> grouped_;                   // blocks of the rows, in the order of the groups
  std::vector<std::array<int, 2>> slots_;      // clusters of each such block here, row first
  std::vector<std::array<int, 2>> all_slots_;  // of all processes
  std::vector<double> arms_;                   // from the cluster's centre to each vertex here
  std::vector<Mat3d> rotation_;  // of all clusters: axes, scaled; zero where it has none
  std::unique_ptr<LowerPattern> pattern_;
  std::vector<double> coarse_values_;
  std::unique_ptr<LinearSolver> coarse_;
  std::vector<int> counts_, starts_;  // of coarse numbers in each process
  std::vector<double> inverse_;       // of the rows' diagonal blocks, by rows
  Vector own_, right_, solution_;
};

}  // namespace lilyan::distributed
