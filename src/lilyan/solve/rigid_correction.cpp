#include "lilyan/solve/rigid_correction.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "lilyan/core/threads.hpp"

namespace lilyan {
namespace {

// Motions with so small a share of the largest inertia are none: rotations of a straight line about
// itself, of a point.
constexpr double kNoMotion = 1e-10;

Eigen::Map<const Vec3> at(const double* vectors, int i) {
  return Eigen::Map<const Vec3>(vectors + 3 * std::ptrdiff_t{i});
}

}  // namespace

RigidCorrection::RigidCorrection(const BlockMatrix& matrix, const Aggregates& aggregates)
    : matrix_(matrix), aggregates_(aggregates), body_of_(aggregates.count(), -1) {
  std::vector<int> cluster_of(matrix.rows());
  for (int a = 0; a < aggregates.count(); ++a) {
    for (int i = aggregates.start[a]; i < aggregates.start[a + 1]; ++i) cluster_of[i] = a;
  }
  int bodies = 0;
  std::vector<int> reached;
  for (int first = 0; first < aggregates.count(); ++first) {
    if (body_of_[first] >= 0) continue;
    body_of_[first] = bodies;
    reached.assign(1, first);
    for (std::size_t k = 0; k < reached.size(); ++k) {
      const int a = reached[k];
      for (int e = matrix.start()[aggregates.start[a]]; e < matrix.start()[aggregates.start[a + 1]];
           ++e) {
        const int b = cluster_of[matrix.column()[e]];
        if (body_of_[b] >= 0) continue;
        body_of_[b] = bodies;
        reached.push_back(b);
      }
    }
    ++bodies;
  }
  clusters_.resize(aggregates.count());
  bodies_.resize(bodies);
}

void RigidCorrection::apply(const double* positions, const double* residual, double* solution) {
  const int count = aggregates_.count();
  for (Sums& body : bodies_) {
    body = {Mat6::Zero(), Vec6::Zero(), Vec3::Zero(), 0, 0};
  }
  for (int a = 0; a < count; ++a) {
    Sums& body = bodies_[body_of_[a]];
    for (int i = aggregates_.start[a]; i < aggregates_.start[a + 1]; ++i) {
      body.centre += at(positions, i);
    }
    body.count += aggregates_.start[a + 1] - aggregates_.start[a];
  }
  for (Sums& body : bodies_) body.centre /= body.count;
  parallel_for(count, [&](int a) { add_rows(a, positions, residual); });
  for (int a = 0; a < count; ++a) {
    Sums& body = bodies_[body_of_[a]];
    body.matrix += clusters_[a].matrix;
    body.force += clusters_[a].force;
    body.extent += clusters_[a].extent;
  }
  for (Sums& body : bodies_) {
    // Rotations in units in which they move the vertices as far as translations do.
    const double radius = std::sqrt(body.extent / body.count);
    Vec6 scale = Vec6::Ones();
    scale.tail<3>().setConstant(radius > 0 ? 1 / radius : 0.0);
    const Mat6 scaled = scale.asDiagonal() * body.matrix * scale.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Mat6> modes(0.5 * (scaled + scaled.transpose()));
    const Vec6 force = modes.eigenvectors().transpose() * scale.cwiseProduct(body.force);
    Vec6 motion = Vec6::Zero();
    for (int k = 0; k < 6; ++k) {
      const double inertia = modes.eigenvalues()[k];
      if (inertia > kNoMotion * modes.eigenvalues()[5]) motion[k] = force[k] / inertia;
    }
    // (The place is free now.)
    body.force = scale.cwiseProduct(modes.eigenvectors() * motion);
    if (!body.force.allFinite()) body.force.setZero();
  }
  parallel_for(count, [&](int a) {
    const Sums& body = bodies_[body_of_[a]];
    const Vec3 translation = body.force.head<3>();
    const Vec3 rotation = body.force.tail<3>();
    for (int i = aggregates_.start[a]; i < aggregates_.start[a + 1]; ++i) {
      Eigen::Map<Vec3>(solution + 3 * std::ptrdiff_t{i}) +=
          translation + rotation.cross(Vec3(at(positions, i) - body.centre));
    }
  });
}

// With the sums Q = Σ A and Qˣ = Σ x A, Qʸ, Qᶻ over a row's blocks, (x, y, z) from the body's
// centre to the block's vertex, A T is Q for translations, and for rotations (a vertex moves by w ×
// r)
//   Qʸ₂ − Qᶻ₁,  Qᶻ₀ − Qˣ₂,  Qˣ₁ − Qʸ₀   (columns).
void RigidCorrection::add_rows(int cluster, const double* positions, const double* residual) {
  Sums& sums = clusters_[cluster];
  sums = {Mat6::Zero(), Vec6::Zero(), Vec3::Zero(), 0, 0};
  const Vec3 centre = bodies_[body_of_[cluster]].centre;
  for (int i = aggregates_.start[cluster]; i < aggregates_.start[cluster + 1]; ++i) {
    const Vec3 arm = at(positions, i) - centre;
    Quad Q[4][3] = {};  // of 1, x, y, z; columns
    const auto add = [&](const auto* block, const Vec3& r) {
      for (int c = 0; c < 3; ++c) {
        const Quad column = load_quad(block + 3 * c);
        Q[0][c] += column;
        for (int k = 0; k < 3; ++k) Q[k + 1][c] += column * r[k];
      }
    };
    add(matrix_.diagonal(i), arm);
    for (int k = matrix_.start()[i]; k < matrix_.start()[i + 1]; ++k) {
      add(matrix_.block(k), at(positions, matrix_.column()[k]) - centre);
    }
    const Quad columns[6] = {Q[0][0],           Q[0][1],           Q[0][2],
                             Q[2][2] - Q[3][1], Q[3][0] - Q[1][2], Q[1][1] - Q[2][0]};
    for (int c = 0; c < 6; ++c) {
      const Vec3 force(columns[c][0], columns[c][1], columns[c][2]);
      sums.matrix.col(c).head<3>() += force;
      sums.matrix.col(c).tail<3>() += arm.cross(force);
    }
    const Vec3 r = at(residual, i);
    sums.force.head<3>() += r;
    sums.force.tail<3>() += arm.cross(r);
    sums.extent += arm.squaredNorm();
  }
}

}  // namespace lilyan
