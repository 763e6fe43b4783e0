#include "lilyan/lagrangian/discrete_lagrangian.hpp"

#include <cmath>
#include <utility>

#include "lilyan/base/error.hpp"
#include "lilyan/numeric/dense.hpp"

namespace lilyan {
namespace {
constexpr int kMaxIterations = 100;
constexpr double kRounding = 1e-10;  // a residual below this that no longer falls is rounding error
}  // namespace

DiscreteLagrangian::DiscreteLagrangian(const Lagrangian& lagrangian, std::vector<Node> quadrature,
                                       double h)
    : lagrangian_(lagrangian), nodes_(std::move(quadrature)), h_(h) {}

double DiscreteLagrangian::value(double t0, const Vector& q0, const Vector& q1) const {
  const Vector u = (q1 - q0) / h_;
  double sum = 0;
  for (const auto& [c, b] : nodes_) {
    const Vector q = q0 + c * (q1 - q0);
    sum += h_ * b * lagrangian_.evaluate(t0 + c * h_, q.data(), u.data(), {});
  }
  return sum;
}

Vector DiscreteLagrangian::D1(double t0, const Vector& q0, const Vector& q1) const {
  const Vector u = (q1 - q0) / h_;
  Vector sum = Vector::Zero(q0.size()), by_q(q0.size()), by_v(q0.size());
  for (const auto& [c, b] : nodes_) {
    const Vector q = q0 + c * (q1 - q0);
    lagrangian_.evaluate(t0 + c * h_, q.data(), u.data(), {.q = by_q.data(), .v = by_v.data()});
    sum += (h_ * b * (1 - c)) * by_q - b * by_v;
  }
  return sum;
}

Vector DiscreteLagrangian::D2(double t0, const Vector& q0, const Vector& q1) const {
  const Vector u = (q1 - q0) / h_;
  Vector sum = Vector::Zero(q0.size()), by_q(q0.size()), by_v(q0.size());
  for (const auto& [c, b] : nodes_) {
    const Vector q = q0 + c * (q1 - q0);
    lagrangian_.evaluate(t0 + c * h_, q.data(), u.data(), {.q = by_q.data(), .v = by_v.data()});
    sum += (h_ * b * c) * by_q + b * by_v;
  }
  return sum;
}

// Newton's method on p₀ + D₁L_d(q₀, q₁) with D₂D₁L_d, halving steps that do not help.
Vector DiscreteLagrangian::solve(double t0, const Vector& q0, const Vector& p0, Vector q1) const {
  const Eigen::Index n = q0.size();
  Eigen::MatrixXd qq(n, n), qv(n, n), vv(n, n), slope(n, n);
  Vector by_q(n), by_v(n), step(n);
  DenseLu lu(n);
  Vector residual = p0 + D1(t0, q0, q1);
  double size = residual.norm();
  for (int k = 0; k < kMaxIterations; ++k) {
    const Vector u = (q1 - q0) / h_;
    slope.setZero();
    double scale = p0.norm();  // of the terms
    for (const auto& [c, b] : nodes_) {
      const Vector q = q0 + c * (q1 - q0);
      lagrangian_.evaluate(
          t0 + c * h_, q.data(), u.data(),
          {.q = by_q.data(), .v = by_v.data(), .qq = qq.data(), .qv = qv.data(), .vv = vv.data()});
      scale += std::abs(h_ * b * (1 - c)) * by_q.norm() + std::abs(b) * by_v.norm();
      slope += (h_ * b * (1 - c) * c) * qq + (b * (1 - c)) * qv - (b * c) * qv.transpose() -
               (b / h_) * vv;
    }
    // Rounding the positions changes the residual by this much, which is no error.
    const double noise = kEpsilon * slope.norm() * q0.norm();
    if (size <= 2 * kEpsilon * scale + noise) return q1;
    lu.compute(slope);
    lu.solve(residual, step);
    bool better = false;
    double factor = 1;
    for (int half = 0; half < 30 && !better; ++half, factor /= 2) {
      const Vector trial = q1 - factor * step;
      const Vector there = p0 + D1(t0, q0, trial);
      if (!(there.norm() < size)) continue;
      q1 = trial;
      residual = there;
      size = there.norm();
      better = true;
    }
    if (!better) {
      if (size <= kRounding * scale) return q1;
      break;
    }
  }
  throw Error("the discrete Euler-Lagrange equation has no solution near; take a smaller step");
}

Vector DiscreteLagrangian::next(double t0, const Vector& q0, const Vector& q1) const {
  return solve(t0 + h_, q1, D2(t0, q0, q1), 2 * q1 - q0);
}

DiscreteLagrangian::Momentum DiscreteLagrangian::advance(double t0, const Vector& q0,
                                                         const Vector& p0) const {
  Vector q1 = solve(t0, q0, p0, q0);
  Vector p1 = D2(t0, q0, q1);
  return {std::move(q1), std::move(p1)};
}

}  // namespace lilyan
