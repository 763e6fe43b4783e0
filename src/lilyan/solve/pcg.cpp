#include "lilyan/solve/pcg.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

using Mat3d = Eigen::Matrix3d;

}  // namespace

Pcg::Pcg(const LowerPattern& pattern)
    : pattern_(pattern),
      aggregates_(aggregate(pattern, cluster_size(pattern.nodes()))),
      matrix_(pattern, aggregates_.node, aggregates_.start),
      coarse_(matrix_, aggregates_),
      rigid_(matrix_, aggregates_, bodies_of_clusters(coarse_.graph())),
      inverse_(9 * static_cast<std::size_t>(pattern.nodes())),
      bad_(matrix_.chunks().size()),
      partial_(matrix_.chunks().size()),
      mass_(Vector::Zero(pattern.nodes())) {
  for (Vector* v : {&positions_, &residual_, &solution_, &direction_, &image_, &z_})
    v->setZero(pattern.dofs());
  direction_.setZero(pattern.dofs() + 1);  // a product reads one number more
}

double Pcg::work() const {
  return 9.0 * matrix_.blocks() + 30.0 * pattern_.nodes() + coarse_.work();
}

bool Pcg::prepare(std::span<const double> values, const Vector& positions, bool renew,
                  const Vector* masses, BlockMatrix::Digits digits) {
  matrix_.assign(values, digits);
  parallel_ranges(pattern_.nodes(), [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      positions_.segment<3>(3 * k) = positions.segment<3>(3 * aggregates_.node[k]);
      mass_[k] = masses ? masses->segment<3>(3 * aggregates_.node[k]).minCoeff() : 0.0;
    }
  });
  return invert_diagonal() && (!renew || coarse_.build(positions_.data()));
}

namespace {

bool is_definite(const Mat3d& a) {
  return a(0, 0) > 0 && a(0, 0) * a(1, 1) > a(1, 0) * a(0, 1) && a.determinant() > 0;
}

}  // namespace

bool invert_block(const Mat3d& block, double least, Eigen::Map<Mat3d> inverse) {
  if (is_definite(block - least * Mat3d::Identity())) {
    inverse = block.inverse();
    return true;
  }
  if (!(least > 0)) return false;
  Eigen::SelfAdjointEigenSolver<Mat3d> eigen;
  eigen.computeDirect(block);
  inverse = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).cwiseInverse().asDiagonal() *
            eigen.eigenvectors().transpose();
  return inverse.allFinite();
}

bool Pcg::invert_diagonal() {
  const auto chunks = matrix_.chunks();
  parallel_for(static_cast<int>(chunks.size()) - 1, [&](int chunk) {
    bad_[chunk] = 0;
    for (int i = coarse_.cluster_start(chunks[chunk]); i < coarse_.cluster_start(chunks[chunk + 1]);
         ++i) {
      if (!invert_block(Eigen::Map<const Mat3d>(matrix_.diagonal(i)), kLeastOfVertex * mass_[i],
                        Eigen::Map<Mat3d>(inverse_.data() + 9 * std::ptrdiff_t{i}))) {
        bad_[chunk] = 1;
      }
    }
  });
  return std::ranges::none_of(bad_, [](char bad) { return bad != 0; });
}

double Pcg::advance(double alpha) {
  const auto chunks = matrix_.chunks();
  const int count = static_cast<int>(chunks.size()) - 1;
  parallel_for(count, [&](int chunk) {
    const int begin = coarse_.cluster_start(chunks[chunk]);
    const int end = coarse_.cluster_start(chunks[chunk + 1]);
    const auto part = [&](Vector& v) { return v.segment(3 * begin, 3 * (end - begin)); };
    part(solution_) += alpha * part(direction_);
    part(residual_) -= alpha * part(image_);
    double dot = 0;
    for (int i = begin; i < end; ++i) {
      const Eigen::Map<const Mat3d> inverse(inverse_.data() + 9 * std::ptrdiff_t{i});
      const Vec3 r = residual_.segment<3>(3 * i);
      const Vec3 z = inverse * r;
      z_.segment<3>(3 * i) = z;
      dot += r.dot(z);
    }
    partial_[chunk] = dot;
    coarse_.restrict(chunk, residual_.data());
  });
  double sum = 0;
  for (int chunk = 0; chunk < count; ++chunk) sum += partial_[chunk];
  return sum + coarse_.solve();
}

void Pcg::new_direction(double beta) {
  const auto chunks = matrix_.chunks();
  const int count = static_cast<int>(chunks.size()) - 1;
  parallel_for(count, [&](int chunk) {
    const double* __restrict arms = coarse_.arm(0);
    const double* __restrict z = z_.data();
    const double* __restrict mass = mass_.data();
    double* __restrict p = direction_.data();
    double inertia = 0;
    for (int a = chunks[chunk]; a < chunks[chunk + 1]; ++a) {
      const auto [t, w] = coarse_.motion(a);
      for (int i = coarse_.cluster_start(a); i < coarse_.cluster_start(a + 1); ++i) {
        const std::ptrdiff_t k = 3 * std::ptrdiff_t{i};
        const double* r = arms + k;
        const double rigid[3] = {t[0] + (w[1] * r[2] - w[2] * r[1]),
                                 t[1] + (w[2] * r[0] - w[0] * r[2]),
                                 t[2] + (w[0] * r[1] - w[1] * r[0])};
        double square = 0;
        for (int c = 0; c < 3; ++c) {
          const double y = beta * p[k + c] + (z[k + c] + rigid[c]);
          p[k + c] = y;
          square += y * y;
        }
        inertia += mass[i] * square;
      }
    }
    partial_[chunk] = inertia;
  });
  inertia_ = 0;
  for (int chunk = 0; chunk < count; ++chunk) inertia_ += partial_[chunk];
}

void Pcg::start(const Vector& right_side) {
  parallel_ranges(pattern_.nodes(), [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      residual_.segment<3>(3 * k) = right_side.segment<3>(3 * aggregates_.node[k]);
    }
    for (Vector* v : {&solution_, &direction_, &image_}) {
      v->segment(3 * first, 3 * (last - first)).setZero();
    }
  });
  iterations_ = 0;
  start_norm_ = norm_ = advance(0);
  new_direction(0);
}

PcgEnd Pcg::run(double tolerance, int max_iterations) {
  const double goal = tolerance * tolerance * start_norm_;
  while (norm_ > goal) {
    if (iterations_ >= max_iterations) return PcgEnd::exhausted;
    const double curvature = matrix_.multiply(direction_.data(), image_.data());
    if (!(curvature > kLeastCurvature * inertia_)) {
      if (inertia_ > 0 && std::isfinite(curvature)) {
        ++iterations_;
        norm_ = advance(norm_ / std::max(inertia_, std::abs(curvature)));
      }
      return PcgEnd::not_definite;
    }
    ++iterations_;
    const double next = advance(norm_ / curvature);
    if (!(next >= 0)) return PcgEnd::not_definite;
    new_direction(next / norm_);
    norm_ = next;
  }
  return norm_ >= 0 ? PcgEnd::converged : PcgEnd::not_definite;
}

void Pcg::correct_rigid_motions() {
  rigid_.apply(positions_.data(), residual_.data(), solution_.data());
}

void Pcg::solution(Vector& result) const {
  parallel_ranges(pattern_.nodes(), [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      result.segment<3>(3 * aggregates_.node[k]) = solution_.segment<3>(3 * k);
    }
  });
}

}  // namespace lilyan
