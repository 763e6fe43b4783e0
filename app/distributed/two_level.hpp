// The two-level preconditioner of solve/coarse_space.hpp for a matrix that several processes share: vertices one
// by one, and rigid motions of clusters of vertices (cluster_solver.hpp).
#pragma once

#include <petscvec.h>

#include <memory>
#include <string>
#include <vector>

#include "app/distributed/cluster_solver.hpp"
#include "app/distributed/mpi_distribution.hpp"
#include "app/distributed/owned_rows.hpp"
#include "app/distributed/shared_matrix.hpp"
#include "lilyan/solve/coarse_space.hpp"

namespace lilyan::distributed {

class TwoLevel {
 public:
  // All must outlive this.
  TwoLevel(const OwnedRows& rows, const SharedMatrix& matrix, const MpiDistribution& ranks);
  ~TwoLevel();
  TwoLevel(const TwoLevel&) = delete;
  TwoLevel& operator=(const TwoLevel&) = delete;

  // For the matrix as it is. Eigenvalues of a row's block are raised to half its vertex's mass where they are
  // smaller. The matrix of the clusters is made anew on request, with vertices at the given places.
  // False when it is not positive definite, in all processes.
  [[nodiscard]] bool prepare(const double* positions, const double* mass, bool renew);
  // z = M⁻¹ r, numbers of this process's rows.
  void apply(const double* r, double* z);
  // r·z of the last ones, over all processes.
  [[nodiscard]] double product() const { return product_; }
  [[nodiscard]] std::string name() const { return solver_->name(); }

 private:
  [[nodiscard]] bool invert_diagonal(const double* mass);
  void place(const double* positions);
  [[nodiscard]] bool build();

  const OwnedRows& rows_;
  const BlockMatrix& matrix_;
  const MpiDistribution& ranks_;
  RigidClusters clusters_;
  std::unique_ptr<ClusterSolver> solver_;
  std::vector<double> inverse_;  // of the rows' diagonal blocks
  Vec motions_ = nullptr;        // centres and axes of the clusters, with room for those of copies
  std::vector<double> blocks_;   // of the matrix of the clusters
  std::vector<char> bad_;        // chunks with a block that is not positive definite
  std::vector<double> partial_;  // of r·z, for each chunk
  double product_ = 0;
  Vector right_, solution_;
};

}  // namespace lilyan::distributed
