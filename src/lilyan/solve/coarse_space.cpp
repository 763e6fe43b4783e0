#include "lilyan/solve/coarse_space.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

constexpr int kModes = 6;
constexpr int kDenseClusters = 48;
// Rotations that move a cluster's vertices by less than this share of its extent, squared, are
// none: vertices in line, or a single one; nor are any of vertices that coincide but for rounding.
constexpr double kNoRotation = 1e-6;
constexpr double kCoincide = 1e-12;

// Small clusters need fewer iterations, but their number makes the coarse matrix dear: about as
// many as a dense factor of it is still cheap, then ones of a fixed size.
constexpr int kClusters = 24;
constexpr int kSmallestCluster = 40;
constexpr int kLargestCluster = 200;

using Mat3d = Eigen::Matrix3d;
using Mat6d = RigidClusters::Mat6;

LowerPattern neighbourhood(const BlockMatrix& matrix, const Aggregates& aggregates) {
  const int clusters = aggregates.count();
  std::vector<int> cluster_of(matrix.rows());
  for (int a = 0; a < clusters; ++a) {
    std::fill(cluster_of.begin() + aggregates.start[a],
              cluster_of.begin() + aggregates.start[a + 1], a);
  }
  std::vector<std::vector<int>> near(clusters);
  const auto add = [&](int a, int b) {
    if (near[a].empty() || near[a].back() != b) near[a].push_back(b);
  };
  for (int i = 0; i < matrix.rows(); ++i) {
    for (int k = matrix.outer_begin(i); k < matrix.end(i); ++k) {
      const int a = cluster_of[i];
      const int b = cluster_of[matrix.column()[k]];
      if (a == b) continue;
      add(a, b);
      add(b, a);
    }
  }
  std::vector<int> start{0};
  std::vector<int> graph;
  for (auto& list : near) {
    std::ranges::sort(list);
    graph.insert(graph.end(), list.begin(), std::unique(list.begin(), list.end()));
    start.push_back(static_cast<int>(graph.size()));
  }
  return {kModes, std::move(start), std::move(graph)};
}

}  // namespace

int cluster_size(long vertices, bool bounded) {
  const long size = std::clamp<long>(vertices / kClusters, kSmallestCluster, kLargestCluster);
  return static_cast<int>(bounded ? std::max(size, vertices / kMostClusters) : size);
}

RigidClusters::RigidClusters(const BlockMatrix& matrix, const Aggregates& aggregates)
    : matrix_(matrix),
      aggregates_(aggregates),
      groups_(matrix.chunks().back()),
      arms_(3 * aggregates.node.size()),
      centre_(aggregates.count(), Vec3::Zero()),
      rotation_(aggregates.count(), Mat3::Zero()) {}

// Rotations about the axes of inertia through the cluster's centre, each scaled to move its
// vertices by one on average; left out where it would not move them.
void RigidClusters::place(const double* positions) {
  parallel_for(groups_, [&](int a) {
    const int begin = aggregates_.start[a];
    const int end = aggregates_.start[a + 1];
    Vec3 centre = Vec3::Zero();
    for (int i = begin; i < end; ++i) centre += Eigen::Map<const Vec3>(positions + 3 * i);
    centre /= end - begin;
    Mat3d inertia = Mat3d::Zero();
    for (int i = begin; i < end; ++i) {
      const Vec3 r = Eigen::Map<const Vec3>(positions + 3 * i) - centre;
      Eigen::Map<Vec3>(arms_.data() + 3 * i) = r;
      inertia += r.squaredNorm() * Mat3d::Identity() - r * r.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Mat3d> axes;
    axes.computeDirect(inertia / (end - begin));
    centre_[a] = centre;
    rotation_[a].setZero();
    const Vec3& square = axes.eigenvalues();
    for (int k = 0; k < 3; ++k) {
      if (square[k] > kNoRotation * square[2] &&
          square[k] > kCoincide * kCoincide * centre.squaredNorm()) {
        rotation_[a].col(k) = axes.eigenvectors().col(k) / std::sqrt(square[k]);
      }
    }
  });
}

void RigidClusters::set(int cluster, const Vec3& centre, const Mat3& rotation,
                        const double* positions) {
  centre_[cluster] = centre;
  rotation_[cluster] = rotation;
  for (int i = start(cluster); i < start(cluster + 1); ++i) {
    Eigen::Map<Vec3>(arms_.data() + 3 * std::ptrdiff_t{i}) =
        Eigen::Map<const Vec3>(positions + 3 * std::ptrdiff_t{i}) - centre;
  }
}

// Those of a row's blocks from first to last that are in the columns of cluster b, and that on the
// diagonal. A rotation w moves a vertex by w × r = −[r]w, so P is (I, −[r]), and the rows of A(−[r])
// are r × (rows of A).
void RigidClusters::add_row(int i, int b, int first, int last, bool diagonal, Mat6d& sum) const {
  const auto columns = matrix_.column();
  const auto begin = columns.begin() + first;
  const auto end = columns.begin() + last;
  auto k = std::lower_bound(begin, end, aggregates_.start[b]);
  const int to = aggregates_.start[b + 1];
  if (!diagonal && (k == end || *k >= to)) return;
  Mat3d force = Mat3d::Zero();
  Mat3d torque = Mat3d::Zero();
  const auto add_block = [&](const Mat3d& A, const Vec3& r) {
    force += A;
    for (int e = 0; e < 3; ++e) torque.row(e) += r.cross(Vec3(A.row(e)));
  };
  const Vec3 r = Eigen::Map<const Vec3>(arm(i));
  if (diagonal) add_block(Eigen::Map<const Mat3d>(matrix_.diagonal(i)), r);
  for (; k != end && *k < to; ++k) {
    matrix_.with_block(static_cast<int>(k - columns.begin()), [&]<class Real>(const Real* block) {
      const Eigen::Map<const Eigen::Matrix<Real, 3, 3, Eigen::RowMajor>> A(block);
      add_block(A.template cast<double>(), Eigen::Map<const Vec3>(arm(*k)));
    });
  }
  sum.topLeftCorner<3, 3>() += force;
  sum.topRightCorner<3, 3>() += torque;
  for (int e = 0; e < 3; ++e) {
    sum.bottomLeftCorner<3, 3>().col(e) += r.cross(force.col(e));
    sum.bottomRightCorner<3, 3>().col(e) += r.cross(torque.col(e));
  }
}

RigidClusters::Mat6 RigidClusters::block(int a, int b) const {
  Mat6d sum = Mat6d::Zero();
  Mat6d once = Mat6d::Zero();  // of blocks that stand for their mirror images as well
  for (int i = start(a); i < start(a + 1); ++i) {
    add_row(i, b, matrix_.outer_begin(i), matrix_.inner_begin(i), a == b, sum);
    add_row(i, b, matrix_.inner_begin(i), matrix_.end(i), false, once);
  }
  sum += once;
  if (a == b) sum += once.transpose();
  sum.rightCols<3>() = (sum.rightCols<3>() * rotation_[b]).eval();
  sum.bottomRows<3>() = (rotation_[a].transpose() * sum.bottomRows<3>()).eval();
  for (int k = 0; k < 3 && a == b; ++k) {
    if (rotation_[a].col(k).isZero(0)) sum(3 + k, 3 + k) = 1;
  }
  return sum;
}

void RigidClusters::restrict(int chunk, const double* r, double* coarse) const {
  for (int a = matrix_.chunks()[chunk]; a < matrix_.chunks()[chunk + 1]; ++a) {
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (int i = start(a); i < start(a + 1); ++i) {
      const Vec3 f = Eigen::Map<const Vec3>(r + 3 * std::ptrdiff_t{i});
      force += f;
      torque += Vec3(Eigen::Map<const Vec3>(arm(i))).cross(f);
    }
    Eigen::Map<Vec3>(coarse + kModes * a) = force;
    Eigen::Map<Vec3>(coarse + kModes * a + 3) = rotation_[a].transpose() * torque;
  }
}

RigidClusters::Motion RigidClusters::motion(int cluster, const double* coarse) const {
  const double* z = coarse + std::ptrdiff_t{kModes} * cluster;
  return {Eigen::Map<const Vec3>(z), rotation_[cluster] * Eigen::Map<const Vec3>(z + 3)};
}

CoarseFactor::CoarseFactor(LowerPattern graph)
    : pattern_(std::move(graph)), values_(pattern_.entries()) {
  if (pattern_.nodes() <= kDenseClusters) {
    dense_.setZero(pattern_.dofs(), pattern_.dofs());
    factor_.compute(dense_);  // of zeros it ends at once, but has its memory then
  } else {
    sparse_ = make_cholesky(pattern_);
  }
}

double CoarseFactor::work() const {
  return sparse_ ? sparse_->solve_flops() : static_cast<double>(dense_.size());
}

void CoarseFactor::set(int a, int b, const Mat6d& block) {
  const int length = pattern_.column_length(b);
  double* target = values_.data() + pattern_.block_position(a, b);
  for (int c = 0; c < kModes; ++c) {
    for (int r = a == b ? c : 0; r < kModes; ++r) target[lower_offset(r, c, length)] = block(r, c);
  }
}

bool CoarseFactor::factorise() {
  if (sparse_) return sparse_->factorise(values_);
  for (int c = 0; c < pattern_.dofs(); ++c) {
    for (int k = pattern_.column_start()[c]; k < pattern_.column_end(c); ++k) {
      dense_(pattern_.row()[k], c) = values_[k];
    }
  }
  factor_.compute(dense_);
  return factor_.info() == Eigen::Success;
}

void CoarseFactor::solve(const Vector& right, Vector& solution) {
  if (sparse_) {
    sparse_->solve(right, solution);
  } else {
    solution = right;
    factor_.matrixL().solveInPlace(solution);
    factor_.matrixL().adjoint().solveInPlace(solution);
  }
}

CoarseSpace::CoarseSpace(const BlockMatrix& matrix, const Aggregates& aggregates)
    : clusters_(matrix, aggregates), factor_(neighbourhood(matrix, aggregates)) {
  right_.setZero(factor_.graph().dofs());
  solution_.setZero(factor_.graph().dofs());
}

// The blocks of one cluster with those before it and itself.
void CoarseSpace::fill_rows(int a) {
  const LowerPattern& graph = factor_.graph();
  for (int e = graph.graph_start()[a]; e < graph.graph_start()[a + 1]; ++e) {
    const int b = graph.graph()[e];
    if (b < a) factor_.set(a, b, clusters_.block(a, b));
  }
  factor_.set(a, a, clusters_.block(a, a));
}

bool CoarseSpace::build(const double* positions) {
  clusters_.place(positions);
  parallel_for(clusters_.count(), [&](int a) { fill_rows(a); });
  return factor_.factorise();
}

double CoarseSpace::solve() {
  factor_.solve(right_, solution_);
  return right_.dot(solution_);
}

}  // namespace lilyan
