#include "lilyan/physics/small_potential.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <numeric>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

constexpr int kMost = SmallPotential::kMost;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;

// Raises the negative eigenvalues e to (1 − strength) e.
void raise_negative(Matrix& a, double strength) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(a);
  const auto raised =
      eigen.eigenvalues().unaryExpr([&](double e) { return e < 0 ? (1 - strength) * e : e; });
  a = eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

SmallPotential::SmallPotential(int vertices, int dimension, Function function,
                               PotentialSymmetry symmetry)
    : vertices_(static_cast<std::size_t>(vertices)),
      dimension_(dimension),
      function_(std::move(function)),
      symmetry_(symmetry) {
  if (vertices * dimension > kMost) {
    throw Error("a small potential may have at most " + std::to_string(kMost) +
                " degrees of freedom");
  }
  std::iota(vertices_.begin(), vertices_.end(), 0);
}

double SmallPotential::evaluate(const Evaluation& at) const {
  const int n = dimension_ * static_cast<int>(vertices_.size());
  std::array<double, kMost> q{};
  std::array<double, kMost> g{};
  Matrix h(n, n);
  Matrix sum = Matrix::Zero(n, n);
  double value = 0;
  for (const WeightedNode& node : at.nodes) {
    for (int i = 0; i < n; ++i) q[i] = at.x0[i] + (at.d ? node.theta * at.d[i] : 0.0);
    const double e =
        function_(q.data(), at.gradient ? g.data() : nullptr, at.hessian ? h.data() : nullptr);
    value += node.value * e;
    if (at.gradient) {
      for (int i = 0; i < n; ++i) at.gradient[i] += node.gradient * g[i];
    }
    if (at.hessian) sum += node.hessian * h;
  }
  if (at.hessian) {
    if (at.projection > 0) raise_negative(sum, at.projection);
    add_element(
        *at.slots, 0, {static_cast<int>(vertices_.size()), dimension_},
        [&](int a, int b, int r, int c) { return sum(dimension_ * a + r, dimension_ * b + c); },
        at.hessian);
  }
  return value;
}

}  // namespace lilyan
