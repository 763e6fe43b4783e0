// Solves with the matrix Pᵀ A P of rigid motions of clusters (solve/coarse_space.hpp) for several processes.
//
// A small matrix is factorised by every process, which has all of it. Of a larger one, or where -clusters_pc_type chooses
// one of PETSc's preconditioners, each process has the rows of its clusters, and the preconditioner (algebraic multigrid)
// takes the place of the inverse: a few exchanges between neighbours instead of one with all processes, and no part that
// grows with their number. Other options have the prefix -clusters_ as well.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "app/distributed/mpi_distribution.hpp"
#include "app/distributed/owned_rows.hpp"
#include "lilyan/solve/coarse_space.hpp"

namespace lilyan::distributed {

class ClusterSolver {
 public:
  using Mat6 = RigidClusters::Mat6;

  ClusterSolver() = default;
  ClusterSolver(const ClusterSolver&) = delete;
  ClusterSolver& operator=(const ClusterSolver&) = delete;
  virtual ~ClusterSolver() = default;

  // Takes the matrix: the blocks of rows.cluster_pairs(), and then those of this process's clusters with themselves.
  // False, in all processes, when it is seen not to be positive definite.
  [[nodiscard]] virtual bool renew(const RigidClusters& clusters,
                                   std::span<const double> blocks) = 0;
  // Solves for the numbers of this process's clusters. Returns right·solution plus `beside`, over all processes.
  virtual double solve(const double* right, double beside, double* solution) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

// The rows must outlive the solver.
[[nodiscard]] std::unique_ptr<ClusterSolver> make_cluster_solver(const OwnedRows& rows,
                                                                 const MpiDistribution& ranks);

}  // namespace lilyan::distributed
