#include "lilyan/solve/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "lilyan/model/sums.hpp"

namespace lilyan {
namespace {

constexpr double kRegular = 1e-12;
constexpr double kMostShare = 1e3;  // of a difference: beyond, the differences say nothing

}  // namespace

AndersonMixing::AndersonMixing(const System& system, Eigen::Index size) : system_(system) {
  for (auto* all : {&iterates_, &directions_}) {
    for (Vector& v : *all) v.setZero(size);
  }
  last_z_.setZero(size);
  last_direction_.setZero(size);
}

double AndersonMixing::dot(const Vector& a, const Vector& b) const {
  return parallel_sum_over(system_, [&](int first, int last) {
    const auto part = part_of(first, last);
    return system_.mass().product(part(a), part(b), first);
  });
}

void AndersonMixing::advance(const Vector& direction, double share, Vector& z) {
  if (known_ > 0) {
    const auto slot = static_cast<std::size_t>((known_ - 1) % kDepth);
    iterates_[slot] = z - last_z_;
    directions_[slot] = direction - last_direction_;
  }
  last_z_ = z;
  last_direction_ = direction;
  const int count = std::min(known_, kDepth);
  ++known_;
  z += share * direction;
  if (count == 0) return;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kDepth, kDepth>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kDepth, 1>;
  Small gram(count, count);
  SmallVector right(count);
  for (int i = 0; i < count; ++i) {
    const Vector& a = directions_[static_cast<std::size_t>(i)];
    for (int j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) = dot(a, directions_[static_cast<std::size_t>(j)]);
    }
    right[i] = dot(a, last_direction_);
  }
  // Each difference counts alike, and those that say the same share what they say.
  const SmallVector size = gram.diagonal().cwiseSqrt();
  for (int i = 0; i < count; ++i) {
    if (!(size[i] > 0)) return;
    right[i] /= size[i];
    for (int j = 0; j < count; ++j) gram(i, j) /= size[i] * size[j];
    gram(i, i) += kRegular;
  }
  const SmallVector scaled = Eigen::LDLT<Small>(gram).solve(right);
  const SmallVector gamma = scaled.cwiseQuotient(size);
  if (!(gamma.allFinite() && gamma.cwiseAbs().maxCoeff() <= kMostShare)) return;
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    z -= gamma[i] * (iterates_[k] + share * directions_[k]);
  }
}

}  // namespace lilyan
