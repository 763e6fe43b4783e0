// The two-level preconditioner of solve/coarse_space.hpp for a matrix that several processes share: vertices one
// by one, and rigid motions of clusters of vertices. The matrix of the clusters is small; every process factorises all of
// it.
#pragma once

#include <petsclog.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "app/distributed/mpi_distribution.hpp"
#include "app/distributed/owned_rows.hpp"
#include "app/distributed/shared_matrix.hpp"
#include "lilyan/solve/coarse_space.hpp"

namespace lilyan::distributed {

// Time that -log_view shows.
class Logged {
 public:
  explicit Logged(PetscLogEvent event) : event_(event) {
    PetscLogEventBegin(event, nullptr, nullptr, nullptr, nullptr);
  }
  ~Logged() { PetscLogEventEnd(event_, nullptr, nullptr, nullptr, nullptr); }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

 private:
  PetscLogEvent event_;
};

class TwoLevel {
 public:
  // All must outlive this. The graph is that of the clusters of all processes.
  TwoLevel(const OwnedRows& rows, const SharedMatrix& matrix, const LowerPattern& graph,
           const MpiDistribution& ranks);

  // For the matrix as it is. Eigenvalues of a row's block are raised to half its vertex's mass where they are
  // smaller. The matrix of the clusters is made anew on request, with vertices at the given places.
  // False when it is not positive definite, in all processes.
  [[nodiscard]] bool prepare(const double* positions, const double* mass, bool renew);
  // z = M⁻¹ r, numbers of this process's rows. One exchange of numbers between all processes.
  void apply(const double* r, double* z);
  // r·z of the last ones, over all processes.
  [[nodiscard]] double product() const { return product_; }

 private:
  [[nodiscard]] bool invert_diagonal(const double* mass);
  void place(const double* positions);
  [[nodiscard]] bool build();

  const OwnedRows& rows_;
  const BlockMatrix& matrix_;
  const MpiDistribution& ranks_;
  RigidClusters clusters_;
  CoarseFactor factor_;
  std::vector<OwnedRows::Pair>
      all_pairs_;                         // of all processes, by numbers; a cluster with itself too
  std::vector<int> counts_, starts_;      // of coarse numbers in each process
  std::vector<double> inverse_;           // of the rows' diagonal blocks
  std::vector<double> motions_, blocks_;  // of the clusters here, to be sent
  std::vector<char> bad_;                 // chunks with a block that is not positive definite
  std::vector<double> partial_;           // of r·z, for each chunk
  double product_ = 0;
  Vector own_, all_, right_, solution_;
  PetscLogEvent gathering_ = 0, solving_ = 0;
};

// Which clusters are neighbours, of all processes.
[[nodiscard]] LowerPattern cluster_graph(const OwnedRows& rows, const MpiDistribution& ranks);

}  // namespace lilyan::distributed
