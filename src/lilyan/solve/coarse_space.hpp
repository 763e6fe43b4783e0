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

#include "lilyan/base/types.hpp"
#include "lilyan/solve/block_matrix.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan {

// More clusters than this are too many for a factor of their matrix that one thread solves with.
inline constexpr int kMostClusters = 1000;
// About how many of so many vertices a cluster should have, with that bound or without it.
[[nodiscard]] int cluster_size(long vertices, bool bounded = true);

// The motions P of the clusters, and blocks of Pᵀ A P.
class RigidClusters {
 public:
  using Mat3 = Eigen::Matrix3d;
  using Mat6 = Eigen::Matrix<double, 6, 6>;

  // Both must outlive this; the matrix's places are the aggregates', its groups of rows the first clusters. What
  // further clusters are to this process is told by set().
  RigidClusters(const BlockMatrix& matrix, const Aggregates& aggregates);

  [[nodiscard]] int count() const { return groups_; }  // of clusters with rows
  // Makes the motions of these clusters, with vertices at the given places.
  void place(const double* positions);
  // A rotation is about axes through the centre: independent ones, scaled; zero where there is none.
  [[nodiscard]] const Vec3& centre(int cluster) const { return centre_[cluster]; }
  [[nodiscard]] const Mat3& rotation(int cluster) const { return rotation_[cluster]; }
  void set(int cluster, const Vec3& centre, const Mat3& rotation, const double* positions);

  // The coarse block of a cluster with an earlier cluster, with itself, or with a cluster without rows.
  [[nodiscard]] Mat6 block(int a, int b) const;

  // coarse = Pᵀ r, for the clusters of one chunk of the matrix.
  void restrict(int chunk, const double* r, double* coarse) const;
  // Displacement P z of a vertex, given its cluster.
  struct Motion {
    Vec3 translation;
    Vec3 rotation;
  };
  [[nodiscard]] Motion motion(int cluster, const double* coarse) const;
  [[nodiscard]] const double* arm(int place) const {
    return arms_.data() + 3 * std::ptrdiff_t{place};
  }
  [[nodiscard]] int start(int cluster) const { return aggregates_.start[cluster]; }

 private:
  void add_row(int i, int b, int first, int last, bool diagonal, Mat6& sum) const;

  const BlockMatrix& matrix_;
  const Aggregates& aggregates_;
  int groups_;
  std::vector<double> arms_;  // from the cluster's centre to each vertex
  std::vector<Vec3> centre_;
  std::vector<Mat3> rotation_;
};

// Pᵀ A P, with clusters as nodes; factorised as a dense matrix where it is small.
class CoarseFactor {
 public:
  // Which clusters are neighbours.
  explicit CoarseFactor(LowerPattern graph);
  CoarseFactor(const CoarseFactor&) = delete;
  CoarseFactor& operator=(const CoarseFactor&) = delete;

  // The block of cluster a with b ≤ a.
  void set(int a, int b, const RigidClusters::Mat6& block);
  // False when it is not positive definite; then it must not be used.
  [[nodiscard]] bool factorise();
  void solve(const Vector& right, Vector& solution);
  [[nodiscard]] const LowerPattern& graph() const { return pattern_; }
  [[nodiscard]] double work() const;  // multiplications of a solve

 private:
  LowerPattern pattern_;
  std::vector<double> values_;
  std::unique_ptr<LinearSolver> sparse_;
  Eigen::MatrixXd dense_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

class CoarseSpace {
 public:
  // Both must outlive this; the matrix's rows are the aggregates' places, its groups the clusters.
  CoarseSpace(const BlockMatrix& matrix, const Aggregates& aggregates);

  // Builds and factorises Pᵀ A P for the matrix as it is, with vertices at the given places. False
  // when it is not positive definite; then the space must not be used.
  [[nodiscard]] bool build(const double* positions);

  // coarse = Pᵀ r, for the clusters of one chunk of the matrix.
  void restrict(int chunk, const double* r) { clusters_.restrict(chunk, r, right_.data()); }
  // Solves for the coarse coordinates z; returns z·Pᵀr.
  double solve();
  // Displacement P z of a vertex, given its cluster.
  [[nodiscard]] RigidClusters::Motion motion(int cluster) const {
    return clusters_.motion(cluster, solution_.data());
  }
  [[nodiscard]] const double* arm(int row) const { return clusters_.arm(row); }
  [[nodiscard]] int cluster_start(int cluster) const { return clusters_.start(cluster); }
  // Which clusters are neighbours.
  [[nodiscard]] const LowerPattern& graph() const { return factor_.graph(); }
  [[nodiscard]] double work() const { return factor_.work(); }  // multiplications of a solve

 private:
  void fill_rows(int cluster);

  RigidClusters clusters_;
  CoarseFactor factor_;
  Vector right_, solution_;
};

}  // namespace lilyan
