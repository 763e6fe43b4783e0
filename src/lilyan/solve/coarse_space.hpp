// The coarse half of a two-level preconditioner: clusters of vertices that move as rigid bodies.
//
// The iterative solution of a stiff body's equations is slow because far parts learn of each other
// one vertex per iteration. Here each cluster may translate and rotate as a whole: with
// P the displacements of the vertices by those motions, the small matrix Pᵀ A P is factorised, and
// P (Pᵀ A P)⁻¹ Pᵀ added to a preconditioner that treats vertices one by one (Mandel 1993,
// "balancing"; Nicolaides 1987 for scalar equations).
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <vector>

#include "lilyan/core/types.hpp"
#include "lilyan/solve/block_matrix.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan {

class CoarseSpace {
 public:
  // Both must outlive this; the matrix's rows are the aggregates' places, its groups the clusters.
  CoarseSpace(const BlockMatrix& matrix, const Aggregates& aggregates);

  // Builds and factorises Pᵀ A P for the matrix as it is, with vertices at the given places. False
  // when it is not positive definite; then the space must not be used.
  [[nodiscard]] bool build(const double* positions);

  // coarse = Pᵀ r, for the clusters of one chunk of the matrix.
  void restrict(int chunk, const double* r);
  // Solves for the coarse coordinates z; returns z·Pᵀr.
  double solve();
  // Displacement P z of a vertex, given its cluster.
  struct Motion {
    Vec3 translation;
    Vec3 rotation;
  };
  [[nodiscard]] Motion motion(int cluster) const;
  [[nodiscard]] const double* arm(int row) const { return arms_.data() + 3 * std::ptrdiff_t{row}; }
  [[nodiscard]] int cluster_start(int cluster) const { return aggregates_.start[cluster]; }
  // Which clusters are neighbours.
  [[nodiscard]] const LowerPattern& graph() const { return *pattern_; }
  [[nodiscard]] double work() const;  // multiplications of a solve

 private:
  void find_modes(const double* positions);
  void fill_rows(int cluster);
  using Mat6d = Eigen::Matrix<double, 6, 6>;
  void add_row(int i, int b, int first, int last, bool diagonal, Mat6d& sum) const;

  const BlockMatrix& matrix_;
  const Aggregates& aggregates_;
  std::vector<int> cluster_of_;  // the cluster of each row
  // Pᵀ A P, with clusters as nodes; factorised as a dense matrix where it is small.
  std::unique_ptr<LowerPattern> pattern_;
  std::vector<double> values_;
  std::unique_ptr<LinearSolver> sparse_;
  Eigen::MatrixXd dense_;
  Eigen::LLT<Eigen::MatrixXd> factor_;

  std::vector<double> arms_;               // from the cluster's centre to each vertex
  std::vector<Eigen::Matrix3d> rotation_;  // independent axes of each cluster, scaled; else zero
  Vector right_, solution_;
};

}  // namespace lilyan
