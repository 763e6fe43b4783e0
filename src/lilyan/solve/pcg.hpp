// Conjugate gradients for a body's equations, preconditioned on two levels.
#pragma once

#include <span>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/solve/block_matrix.hpp"
#include "lilyan/solve/coarse_space.hpp"
#include "lilyan/solve/rigid_correction.hpp"

namespace lilyan {

enum class PcgEnd {
  converged,
  exhausted,     // the iteration limit came first
  not_definite,  // a direction along which the matrix is not positive
};

// The inverse of a vertex's block, each of whose eigenvalues is raised to the least one if that is positive.
// False when it has none.
[[nodiscard]] bool invert_block(const Eigen::Matrix3d& block, double least,
                                Eigen::Map<Eigen::Matrix3d> inverse);
// The least one, as a share of the vertex's mass.
inline constexpr double kLeastOfVertex = 0.5;
// Share of a direction's inertia that its curvature has to have. Of a convex function it has all of it.
inline constexpr double kLeastCurvature = 0.3;

// Each vertex by itself (the inverse of its 3×3 block) plus rigid motions of clusters of vertices
// (CoarseSpace). The coarse matrix is kept until it is asked to be renewed, as it may well be that
// of a matrix a little earlier.
class Pcg {
 public:
  // The pattern has blocks of 3×3, and must outlive this.
  explicit Pcg(const LowerPattern& pattern);

  // Takes a matrix in the pattern's lower compressed columns, the nodes' positions, and the masses if the
  // matrix is theirs plus that of an energy (null: it is not). The coarse matrix is renewed on request.
  // False when the matrix is seen not to be positive definite. With masses its diagonal is no reason: they
  // count for what is missing there.
  [[nodiscard]] bool prepare(std::span<const double> values, const Vector& positions, bool renew,
                             const Vector* masses = nullptr,
                             BlockMatrix::Digits digits = BlockMatrix::Digits::single);

  // Begins with a new right side, from zero.
  void start(const Vector& right_side);
  // Goes on until the error, in the norm of the preconditioned residual, is at most `tolerance` of
  // what it was at the start, or `max_iterations` have been made since then. Ends as `not_definite` at a
  // direction p whose curvature is not positive. With masses it does so where the curvature is far below the
  // inertia p·Mp, and still goes along p as far as the inertia alone would let it.
  PcgEnd run(double tolerance, int max_iterations);
  // Takes out the error that is left in rigid motions of whole bodies, at the cost of a few
  // iterations. To be called at most once, after the last run.
  void correct_rigid_motions();
  // Where it got to. Unless it is zero, the right side has a positive product with it.
  void solution(Vector& result) const;

  [[nodiscard]] int iterations() const { return iterations_; }  // since the start
  // Multiplications of one iteration, roughly.
  [[nodiscard]] double work() const;

 private:
  bool invert_diagonal();
  // residual −= α A p, solution += α p; the preconditioned residual's vertex part into z_, its
  // coarse part into the coarse space. Returns r·z.
  double advance(double alpha);
  // The next direction p, and its inertia p·Mp.
  void new_direction(double beta);

  const LowerPattern& pattern_;
  Aggregates aggregates_;
  BlockMatrix matrix_;
  CoarseSpace coarse_;
  RigidCorrection rigid_;
  std::vector<double> inverse_;  // inverses of the diagonal blocks
  std::vector<char> bad_;        // chunks with a diagonal block that is not positive definite
  std::vector<double> partial_;
  // In the aggregates' order.
  Vector mass_;  // of each node
  Vector positions_, residual_, solution_, direction_, image_, z_;
  int iterations_ = 0;
  double start_norm_ = 0;  // squared, as the next
  double norm_ = 0;
  double inertia_ = 0;
};

}  // namespace lilyan
