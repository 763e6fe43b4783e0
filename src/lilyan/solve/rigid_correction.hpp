// Takes out exactly the total force and torque that an iterative solution leaves on a body.
//
// An exact Newton step leaves a residual without total force and torque (to rounding, and to second
// order), and with that linear and angular momentum. One that is only so accurate leaves a little
// of both, the same way in every step. With T the rigid motions of a body as a whole,
//   x += T (Tᵀ A T)⁻¹ Tᵀ r
// minimises the error over them, after which Tᵀ r = 0.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/parallel/share.hpp"
#include "lilyan/solve/block_matrix.hpp"

namespace lilyan {

// The rigid motion (t, w), which moves a vertex by t + w × r, that takes the total force and torque of a body out of
// a residual: (Tᵀ A T)⁻¹ Tᵀ r. Its vertices are about `radius` away from its centre. Motions that hardly move it are
// left out.
[[nodiscard]] Eigen::Matrix<double, 6, 1> solve_rigid_motion(
    const Eigen::Matrix<double, 6, 6>& matrix, const Eigen::Matrix<double, 6, 1>& force,
    double radius);

// The connected bodies that clusters belong to.
struct BodiesOfClusters {
  std::vector<int> of;  // of each cluster
  int count = 0;
};
// From a graph that says which clusters are neighbours.
[[nodiscard]] BodiesOfClusters bodies_of_clusters(const LowerPattern& graph);

class RigidCorrection {
 public:
  // Matrix and aggregates must outlive this; the matrix's places are those of the aggregates. Several
  // processes may share the matrix; then the bodies are those of all of them.
  RigidCorrection(const BlockMatrix& matrix, const Aggregates& aggregates, BodiesOfClusters bodies,
                  const Ranks* ranks = nullptr);

  // For every connected body, with vertices at the given positions.
  void apply(const double* positions, const double* residual, double* solution);

 private:
  // Nothing but numbers, which may be sent.
  using Vec6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
  using Mat6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
  struct Place {
    Vec3 centre;  // first the sum of positions
    double count;
  };
  // Sums over a cluster, or over a body.
  struct Sums {
    Mat6 matrix;    // Tᵀ A T
    Vec6 force;     // Tᵀ r
    double extent;  // sum of squared distances from the centre
  };
  void add_blocks(int row, int first, int last, bool diagonal, const double* positions,
                  const Vec3& centre, Mat6& sum) const;
  void add_rows(int cluster, const double* positions, const double* residual);
  template <class T>
  void sum_over_ranks(std::vector<T>& sums) const;

  const BlockMatrix& matrix_;
  const Aggregates& aggregates_;
  const Ranks* ranks_;
  std::vector<int> body_of_;  // the body of each cluster here
  std::vector<Sums> clusters_, bodies_;
  std::vector<Place> places_;  // of the bodies
};

}  // namespace lilyan
