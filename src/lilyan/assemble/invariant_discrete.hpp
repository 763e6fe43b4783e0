// A discrete gradient for any local energy that rotations do not change, when it is not a function
// of lengths alone: a signed angle, say, which knows left from right.
//
// Gonzalez's midpoint discrete gradient adds to ∇E(m), m the midpoint, the multiple of d that makes
// the work right; d has a torque about m, so angular momentum is lost. Here d is split into the
// rigid motion nearest to it and the rest w, the part orthogonal to all infinitesimal rigid motions
// of the midpoint configuration (r the vertices about their centre, J their inertia):
//   d_a = t + ω×r_a + w_a,   J ω = Σ r_a×d_a,   Σ w_a = 0,   Σ r_a×w_a = 0                      (1)
// With s = √(1+|ω|²/4), n = ω/|ω| and S = nnᵀ + s(1 − nnᵀ), the ends of a step without w are S m
// turned by ±½ of an angle: the shape of both is S m, not m. Therefore
//   ∇̄E = S⁻¹∇E(S m) + c w,   c = (E₁ − E₀ − S⁻¹∇E(S m)·d)/|w|²                                  (2)
// Both terms have neither force nor torque about m: Σ m×S⁻¹g = cof(S⁻¹) Σ Sm×g = 0. The work is
// right since w·d = |w|². Exchanging the ends changes the signs of d, ω, w and of E₁ − E₀ only, so
// ∇̄E stays. In a rigid step E₁ − E₀ and the work of the first term both vanish; beyond that c w is
// of the order of |w| (|ω| + |w|), so that it may be left out for tiny w, where its quotient would
// be rounding error.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>

#include "lilyan/assemble/elements.hpp"
#include "lilyan/numeric/jet.hpp"

namespace lilyan {

namespace detail {

using Point = Point3<double>;

inline Point add(const Point& a, double factor, const Point& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

// The rows of (1): w and ω.
template <int K>
struct RigidSplit {
  Point omega;
  std::array<Point, K> w;
  double square;  // |w|²

  // Edges of the midpoint and of the displacement.
  RigidSplit(const std::array<Point, K - 1>& middle, const std::array<Point, K - 1>& d) {
    const std::array<Point, K> r = centred(middle);
    w = centred(d);
    Point moment{};
    std::array<Point, 3> inertia{};
    for (std::size_t a = 0; a < K; ++a) {
      moment = add(moment, 1, cross(r[a], w[a]));
      const double square_a = dot(r[a], r[a]);
      for (std::size_t i = 0; i < 3; ++i) {
        inertia[i][i] += square_a;
        for (std::size_t j = 0; j < 3; ++j) inertia[i][j] -= r[a][i] * r[a][j];
      }
    }
    // Cramer's rule; the rows of a symmetric matrix's cofactors are its columns' cross products.
    const Point c0 = cross(inertia[1], inertia[2]);
    const Point c1 = cross(inertia[2], inertia[0]);
    const Point c2 = cross(inertia[0], inertia[1]);
    const double inverse = 1.0 / dot(inertia[0], c0);
    omega = {dot(c0, moment) * inverse, dot(c1, moment) * inverse, dot(c2, moment) * inverse};
    square = 0;
    for (std::size_t a = 0; a < K; ++a) {
      w[a] = add(w[a], -1, cross(omega, r[a]));
      square += dot(w[a], w[a]);
    }
  }

 private:
  static std::array<Point, K> centred(const std::array<Point, K - 1>& edges) {
    Point center{};
    for (const Point& e : edges) center = add(center, 1.0 / K, e);
    std::array<Point, K> r;
    r[0] = {-center[0], -center[1], -center[2]};
    for (std::size_t a = 1; a < K; ++a) r[a] = add(edges[a - 1], -1, center);
    return r;
  }
};

// (2)
template <class Local>
std::array<Point, Local::kVertices - 1> invariant_discrete(
    const Local& local, const LocalVector<kLocalSize<Local>>& e0,
    const LocalVector<kLocalSize<Local>>& displacement) {
  constexpr int K = Local::kVertices;
  constexpr int N = 3 * (K - 1);
  constexpr double kSmall = 3e-7;  // of |w| relative to the element

  std::array<Point, K - 1> d;
  std::array<Point, K - 1> middle;
  for (std::size_t k = 0; k < N; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    d[k / 3][k % 3] = displacement[i];
    middle[k / 3][k % 3] = e0[i] + 0.5 * d[k / 3][k % 3];
  }
  const RigidSplit<K> split(middle, d);

  using std::sqrt;
  const Point& omega = split.omega;
  const double s = sqrt(1.0 + 0.25 * dot(omega, omega));
  const double quarter = 0.25 / (1.0 + s);
  std::array<Point, K - 1> shape;  // S m
  LocalVector<N> at;
  for (std::size_t k = 0; k < N; ++k) {
    const Point& m = middle[k / 3];
    shape[k / 3][k % 3] = s * m[k % 3] - quarter * dot(omega, m) * omega[k % 3];
    at[static_cast<Eigen::Index>(k)] = shape[k / 3][k % 3];
  }
  LocalVector<N> g;
  local.evaluate(at, &g, nullptr);
  std::array<Point, K - 1> force;
  for (std::size_t k = 0; k < N; ++k) {
    force[k / 3][k % 3] = g[static_cast<Eigen::Index>(k)];
  }
  double work = 0;
  for (std::size_t a = 0; a + 1 < K; ++a) {
    force[a] = add(force[a], quarter * dot(omega, force[a]), omega);
    for (double& f : force[a]) f = f / s;
    work += dot(force[a], d[a]);
  }
  if (!(split.square > kSmall * kSmall * at.squaredNorm())) return force;

  const double change =
      local.evaluate(e0 + displacement, nullptr, nullptr) - local.evaluate(e0, nullptr, nullptr);
  const double c = (change - work) / split.square;
  for (std::size_t a = 0; a + 1 < K; ++a) force[a] = add(force[a], c, split.w[a + 1]);
  return force;
}

}  // namespace detail

template <class Local>
void invariant_discrete(const Local& local, const LocalVector<kLocalSize<Local>>& e0,
                        const LocalVector<kLocalSize<Local>>& d,
                        LocalVector<kLocalSize<Local>>& gradient) {
  constexpr int N = 3 * (Local::kVertices - 1);
  const auto force = detail::invariant_discrete(local, e0, d);
  for (std::size_t k = 0; k < N; ++k) {
    gradient[static_cast<Eigen::Index>(k)] = force[k / 3][k % 3];
  }
}

}  // namespace lilyan
