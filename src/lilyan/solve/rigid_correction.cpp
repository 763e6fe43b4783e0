#include "lilyan/solve/rigid_correction.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/parallel/classes.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

// Motions with so small a share of the largest inertia are none: rotations of a straight line about
// itself, of a point.
constexpr double kNoMotion = 1e-10;

Eigen::Map<const Vec3> at(const double* vectors, int i) {
  return Eigen::Map<const Vec3>(vectors + 3 * std::ptrdiff_t{i});
}

}  // namespace

Eigen::Matrix<double, 6, 1> solve_rigid_motion(const Eigen::Matrix<double, 6, 6>& matrix,
                                               const Eigen::Matrix<double, 6, 1>& total,
                                               double radius) {
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  // Rotations in units in which they move the vertices as far as translations do.
  Vec6 scale = Vec6::Ones();
  scale.tail<3>().setConstant(radius > 0 ? 1 / radius : 0.0);
  const Mat6 scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Mat6> modes(0.5 * (scaled + scaled.transpose()));
  const Vec6 force = modes.eigenvectors().transpose() * scale.cwiseProduct(total);
  Vec6 motion = Vec6::Zero();
  for (int k = 0; k < 6; ++k) {
    const double inertia = modes.eigenvalues()[k];
    if (inertia > kNoMotion * modes.eigenvalues()[5]) motion[k] = force[k] / inertia;
  }
  const Vec6 result = scale.cwiseProduct(modes.eigenvectors() * motion);
  return result.allFinite() ? result : Vec6(Vec6::Zero());
}

BodiesOfClusters bodies_of_clusters(const LowerPattern& graph) {
  std::vector<int> parent = separate_classes(graph.nodes());
  for (int a = 0; a < graph.nodes(); ++a) {
    for (int e = graph.graph_start()[a]; e < graph.graph_start()[a + 1]; ++e) {
      join(parent, a, graph.graph()[e]);
    }
  }
  const std::vector<std::int64_t> class_of = classes_of(parent, nullptr);
  const std::vector<std::int64_t> classes = unite(class_of, nullptr);
  BodiesOfClusters result{.of = {}, .count = static_cast<int>(classes.size())};
  for (const std::int64_t c : class_of) result.of.push_back(index_of(c, classes));
  return result;
}

RigidCorrection::RigidCorrection(const BlockMatrix& matrix, const Aggregates& aggregates,
                                 BodiesOfClusters bodies, const Ranks* ranks)
    : matrix_(matrix),
      aggregates_(aggregates),
      ranks_(ranks),
      body_of_(std::move(bodies.of)),
      clusters_(body_of_.size()),
      bodies_(static_cast<std::size_t>(bodies.count)),
      places_(static_cast<std::size_t>(bodies.count)) {}

template <class T>
void RigidCorrection::sum_over_ranks(std::vector<T>& sums) const {
  static_assert(sizeof(Place) == 4 * sizeof(double) && sizeof(Sums) == 43 * sizeof(double));
  if (!ranks_) return;
  ranks_->sum({reinterpret_cast<double*>(sums.data()), sums.size() * sizeof(T) / sizeof(double)});
}

void RigidCorrection::apply(const double* positions, const double* residual, double* solution) {
  const int count = static_cast<int>(clusters_.size());
  std::ranges::fill(places_, Place{Vec3::Zero(), 0});
  std::ranges::fill(bodies_, Sums{Mat6::Zero(), Vec6::Zero(), 0});
  for (int a = 0; a < count; ++a) {
    Place& body = places_[body_of_[a]];
    for (int i = aggregates_.start[a]; i < aggregates_.start[a + 1]; ++i) {
      body.centre += at(positions, i);
    }
    body.count += aggregates_.start[a + 1] - aggregates_.start[a];
  }
  sum_over_ranks(places_);
  for (Place& body : places_) body.centre /= body.count;
  parallel_for(count, [&](int a) { add_rows(a, positions, residual); });
  for (int a = 0; a < count; ++a) {
    Sums& body = bodies_[body_of_[a]];
    body.matrix += clusters_[a].matrix;
    body.force += clusters_[a].force;
    body.extent += clusters_[a].extent;
  }
  sum_over_ranks(bodies_);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Sums& body = bodies_[b];
    // (The place is free now.)
    body.force =
        solve_rigid_motion(body.matrix, body.force, std::sqrt(body.extent / places_[b].count));
  }
  parallel_for(count, [&](int a) {
    const Sums& body = bodies_[body_of_[a]];
    const Vec3 centre = places_[body_of_[a]].centre;
    const Vec3 translation = body.force.head<3>();
    const Vec3 rotation = body.force.tail<3>();
    for (int i = aggregates_.start[a]; i < aggregates_.start[a + 1]; ++i) {
      Eigen::Map<Vec3>(solution + 3 * std::ptrdiff_t{i}) +=
          translation + rotation.cross(Vec3(at(positions, i) - centre));
    }
  });
}

// Tᵀ A T of some blocks of a row. With the sums Q = Σ A and Qˣ = Σ x A, Qʸ, Qᶻ over them, (x, y, z)
// from the body's centre to the block's vertex, A T is Q for translations, and for rotations (a
// vertex moves by w × r)
//   Qʸ₂ − Qᶻ₁,  Qᶻ₀ − Qˣ₂,  Qˣ₁ − Qʸ₀   (columns).
void RigidCorrection::add_blocks(int row, int first, int last, bool diagonal,
                                 const double* positions, const Vec3& centre, Mat6& sum) const {
  const Vec3 arm = at(positions, row) - centre;
  Quad Q[4][3] = {};  // of 1, x, y, z; rows
  const auto add = [&](const auto* block, const Vec3& r) {
    for (int e = 0; e < 3; ++e) {
      const Quad of_block = load_quad(block + 3 * e);
      Q[0][e] += of_block;
      for (int k = 0; k < 3; ++k) Q[k + 1][e] += of_block * r[k];
    }
  };
  if (diagonal) add(matrix_.diagonal(row), arm);  // symmetric
  for (int k = first; k < last; ++k) {
    const Vec3 r = at(positions, matrix_.column()[k]) - centre;
    matrix_.with_block(k, [&](const auto* block) { add(block, r); });
  }
  const auto column = [&](int of, int c) { return Vec3(Q[of][0][c], Q[of][1][c], Q[of][2][c]); };
  const Vec3 columns[6] = {column(0, 0),
                           column(0, 1),
                           column(0, 2),
                           column(2, 2) - column(3, 1),
                           column(3, 0) - column(1, 2),
                           column(1, 1) - column(2, 0)};
  for (int c = 0; c < 6; ++c) {
    sum.col(c).head<3>() += columns[c];
    sum.col(c).tail<3>() += arm.cross(columns[c]);
  }
}

void RigidCorrection::add_rows(int cluster, const double* positions, const double* residual) {
  Sums& sums = clusters_[cluster];
  sums = {Mat6::Zero(), Vec6::Zero(), 0};
  const Vec3 centre = places_[body_of_[cluster]].centre;
  Mat6 once = Mat6::Zero();  // of blocks that stand for their mirror images as well
  for (int i = aggregates_.start[cluster]; i < aggregates_.start[cluster + 1]; ++i) {
    add_blocks(i, matrix_.outer_begin(i), matrix_.inner_begin(i), true, positions, centre,
               sums.matrix);
    add_blocks(i, matrix_.inner_begin(i), matrix_.end(i), false, positions, centre, once);
    const Vec3 arm = at(positions, i) - centre;
    const Vec3 r = at(residual, i);
    sums.force.head<3>() += r;
    sums.force.tail<3>() += arm.cross(r);
    sums.extent += arm.squaredNorm();
  }
  sums.matrix += once + once.transpose();
}

}  // namespace lilyan
