// The loop over springs: pairs of vertices a < b with an energy ψ(s) of s = |e|², e = x_b − x_a.
//
//   ∂E/∂x_b = 2ψ' e = −∂E/∂x_a,   K = 2ψ' I + 4ψ'' e eᵀ,   ∂²E = [K −K; −K K]                   (1)
// Along a path e = e₀ + θ dₑ the sum of K over the nodes is  α I + B  with B in the plane of e₀ and
// dₑ: its eigenvalues are α and, in that plane, those of a 2×2 matrix, all in closed form.     (2)
//
// The discrete gradient has  Δs = 2e½·dₑ  exactly, and with σ = (ψ₁ − ψ₀)/Δs
//   ∇̄E_b = 2σ e½ = −∇̄E_a,   ∂∇̄E_b/∂dₑ = σ I + 4 ∂σ/∂s₁ e½ ⊗ e₁                                 (3)
// along the spring's midpoint direction, hence without torque about it.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "lilyan/core/energy.hpp"

namespace lilyan {

struct Spring {
  int a = 0;
  int b = 0;
  double stiffness = 0;
  double length = 0;  // at rest
};

// ψ, ψ' and ψ'' at s.
struct SpringTerms {
  double value;
  double first;
  double second;
};
// σ and ∂σ/∂s₁ of (3).
struct SpringQuotient {
  double sigma;
  double by_end;
};

// (2): raises the negative eigenvalues of m, which is α times the identity across the plane of e
// and d.
inline void raise_negative(Eigen::Matrix3d& m, double alpha, const Eigen::Vector3d& e,
                           const Eigen::Vector3d& d, double strength) {
  Eigen::Vector3d u = e.squaredNorm() >= d.squaredNorm() ? e : d;
  const Eigen::Vector3d other = e.squaredNorm() >= d.squaredNorm() ? d : e;
  u = u.norm() > 0 ? u.normalized() : Eigen::Vector3d::UnitX();
  Eigen::Vector3d v = other - u.dot(other) * u;
  if (v.norm() > 1e-8 * other.norm()) {
    v -= u.dot(v) * u;  // once more: the first time leaves rounding error where they are parallel
  } else {
    int axis = 0;
    u.cwiseAbs().minCoeff(&axis);
    v = u.cross(Eigen::Vector3d::Unit(axis));
  }
  v.normalize();
  const Eigen::Vector3d w = u.cross(v);
  const double p = u.dot(m * u);
  const double q = u.dot(m * v);
  const double r = v.dot(m * v);
  const double mean = 0.5 * (p + r);
  const double radius = std::hypot(0.5 * (p - r), q);
  if (alpha < 0) m -= (strength * alpha) * w * w.transpose();
  // Directions of mean + radius and mean − radius in the plane.
  const double angle = 0.5 * std::atan2(2 * q, p - r);
  const Eigen::Vector3d high = std::cos(angle) * u + std::sin(angle) * v;
  const Eigen::Vector3d low = std::cos(angle) * v - std::sin(angle) * u;
  if (mean + radius < 0) m -= (strength * (mean + radius)) * high * high.transpose();
  if (mean - radius < 0) m -= (strength * (mean - radius)) * low * low.transpose();
}

inline Eigen::Vector3d spring_edge(const Spring& s, const double* x) {
  const double* a = x + 3 * std::ptrdiff_t{s.a};
  const double* b = x + 3 * std::ptrdiff_t{s.b};
  return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}

// The entries of [K −K; −K K].
inline auto spring_blocks(const Eigen::Matrix3d& K) {
  return [&K](int a, int b, int r, int c) { return a == b ? K(r, c) : -K(r, c); };
}

// Law: SpringTerms terms(const Spring&, double s).
template <class Law>
double evaluate_springs(std::span<const Spring> springs, const Evaluation& at) {
  double total = 0;
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const Spring& spring = springs[k];
    const Eigen::Vector3d e0 = spring_edge(spring, at.x0);
    const Eigen::Vector3d de = at.d ? spring_edge(spring, at.d) : Eigen::Vector3d::Zero();
    // Σ 2w ψ' and Σ 2w ψ' θ of the gradient; α and B's coefficients of e₀e₀ᵀ, e₀dₑᵀ + dₑe₀ᵀ, dₑdₑᵀ.
    double force = 0;
    double force_theta = 0;
    double alpha = 0;
    double b00 = 0;
    double b01 = 0;
    double b11 = 0;
    bool convex = true;  // no negative term in B
    for (const WeightedNode& node : at.nodes) {
      const double s = (e0 + node.theta * de).squaredNorm();
      const SpringTerms t = Law::terms(spring, s);
      total += node.value * t.value;
      const double g = 2 * node.gradient * t.first;
      force += g;
      force_theta += g * node.theta;
      alpha += 2 * node.hessian * t.first;
      const double bend = 4 * node.hessian * t.second;
      convex = convex && bend >= 0;
      b00 += bend;
      b01 += bend * node.theta;
      b11 += bend * node.theta * node.theta;
    }
    if (at.gradient) {
      double* a = at.gradient + 3 * std::ptrdiff_t{spring.a};
      double* b = at.gradient + 3 * std::ptrdiff_t{spring.b};
      for (int i = 0; i < 3; ++i) {
        const double f = force * e0[i] + force_theta * de[i];
        a[i] -= f;
        b[i] += f;
      }
    }
    if (!at.hessian) continue;
    Eigen::Matrix3d K;
    for (int c = 0; c < 3; ++c) {
      const double along = b00 * e0[c] + b01 * de[c];
      const double across = b01 * e0[c] + b11 * de[c];
      for (int r = 0; r < 3; ++r) K(r, c) = along * e0[r] + across * de[r];
      K(c, c) += alpha;
    }
    if (at.projection > 0 && (alpha < 0 || !convex)) {
      raise_negative(K, alpha, e0, de, at.projection);
    }
    add_element(*at.slots, k, {.vertices = 2}, spring_blocks(K), at.hessian);
  }
  return total;
}

// Law: SpringQuotient quotient(const Spring&, double s0, double s1).
template <class Law>
void discrete_gradient_of_springs(std::span<const Spring> springs, const DiscreteEvaluation& at) {
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const Spring& spring = springs[k];
    const Eigen::Vector3d e0 = spring_edge(spring, at.x0);
    const Eigen::Vector3d de = spring_edge(spring, at.d);
    const Eigen::Vector3d middle = e0 + 0.5 * de;
    const Eigen::Vector3d e1 = e0 + de;
    const SpringQuotient q = Law::quotient(spring, e0.squaredNorm(), e1.squaredNorm());
    if (at.gradient) {
      double* a = at.gradient + 3 * std::ptrdiff_t{spring.a};
      double* b = at.gradient + 3 * std::ptrdiff_t{spring.b};
      for (int i = 0; i < 3; ++i) {
        const double f = 2 * at.gradient_weight * q.sigma * middle[i];  // (3)
        a[i] -= f;
        b[i] += f;
      }
    }
    if (!at.jacobian) continue;
    Eigen::Matrix3d K = (4 * q.by_end) * middle * e1.transpose();
    K.diagonal().array() += q.sigma;
    K *= at.jacobian_weight;
    add_element(*at.slots, k, {.vertices = 2}, spring_blocks(K), at.jacobian);
  }
}

}  // namespace lilyan
