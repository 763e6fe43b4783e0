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
#include "lilyan/core/jet.hpp"

namespace lilyan {

namespace detail {

template <class T>
using Point = Point3<T>;

template <class T>
Point<T> add(const Point<T>& a, const T& factor, const Point<T>& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

inline double plain(double x) { return x; }
template <int N>
double plain(const Jet1<N>& x) {
  return x.value;
}

// The rows of (1): w and ω.
template <int K, class T>
struct RigidSplit {
  Point<T> omega;
  std::array<Point<T>, K> w;
  T square;  // |w|²

  // Edges of the midpoint and of the displacement.
  RigidSplit(const std::array<Point<T>, K - 1>& middle, const std::array<Point<T>, K - 1>& d) {
    const std::array<Point<T>, K> r = centred(middle);
    w = centred(d);
    Point<T> moment{};
    std::array<Point<T>, 3> inertia{};
    for (std::size_t a = 0; a < K; ++a) {
      moment = add(moment, T(1), cross(r[a], w[a]));
      const T square_a = dot(r[a], r[a]);
      for (std::size_t i = 0; i < 3; ++i) {
        inertia[i][i] += square_a;
        for (std::size_t j = 0; j < 3; ++j) inertia[i][j] -= r[a][i] * r[a][j];
      }
    }
    // Cramer's rule; the rows of a symmetric matrix's cofactors are its columns' cross products.
    const Point<T> c0 = cross(inertia[1], inertia[2]);
    const Point<T> c1 = cross(inertia[2], inertia[0]);
    const Point<T> c2 = cross(inertia[0], inertia[1]);
    const T inverse = 1.0 / dot(inertia[0], c0);
    omega = {dot(c0, moment) * inverse, dot(c1, moment) * inverse, dot(c2, moment) * inverse};
    square = T(0);
    for (std::size_t a = 0; a < K; ++a) {
      w[a] = add(w[a], T(-1), cross(omega, r[a]));
      square += dot(w[a], w[a]);
    }
  }

 private:
  static std::array<Point<T>, K> centred(const std::array<Point<T>, K - 1>& edges) {
    Point<T> center{};
    for (const Point<T>& e : edges) center = add(center, T(1.0 / K), e);
    std::array<Point<T>, K> r;
    r[0] = {-center[0], -center[1], -center[2]};
    for (std::size_t a = 1; a < K; ++a) r[a] = add(edges[a - 1], T(-1), center);
    return r;
  }
};

// An energy's value at the end of the step, as a function of d.
template <class T, int N>
T end_value(double value, const Eigen::Matrix<double, N, 1>& gradient) {
  T r(value);
  if constexpr (!std::is_same_v<T, double>) {
    for (int i = 0; i < N; ++i) r.gradient[static_cast<std::size_t>(i)] = gradient[i];
  }
  return r;
}

// (2), with T = double for the gradient alone and Jet1 for its derivative by d as well.
template <class T, class Local>
std::array<Point<T>, Local::kVertices - 1> invariant_discrete(
    const Local& local, const LocalVector<kLocalSize<Local>>& e0,
    const LocalVector<kLocalSize<Local>>& displacement) {
  constexpr int K = Local::kVertices;
  constexpr int N = 3 * (K - 1);
  constexpr bool kJet = !std::is_same_v<T, double>;
  constexpr double kSmall = 3e-7;  // of |w| relative to the element

  std::array<Point<T>, K - 1> d;
  std::array<Point<T>, K - 1> middle;
  for (std::size_t k = 0; k < N; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if constexpr (kJet) {
      d[k / 3][k % 3] = T::variable(displacement[i], static_cast<int>(k));
    } else {
      d[k / 3][k % 3] = displacement[i];
    }
    middle[k / 3][k % 3] = e0[i] + 0.5 * d[k / 3][k % 3];
  }
  const RigidSplit<K, T> split(middle, d);

  using std::sqrt;
  const Point<T>& omega = split.omega;
  const T s = sqrt(1.0 + 0.25 * dot(omega, omega));
  const T quarter = 0.25 / (1.0 + s);
  std::array<Point<T>, K - 1> shape;  // S m
  LocalVector<N> at;
  for (std::size_t k = 0; k < N; ++k) {
    const Point<T>& m = middle[k / 3];
    shape[k / 3][k % 3] = s * m[k % 3] - quarter * dot(omega, m) * omega[k % 3];
    at[static_cast<Eigen::Index>(k)] = plain(shape[k / 3][k % 3]);
  }
  LocalVector<N> g;
  LocalMatrix<N> H;
  local.evaluate(at, &g, kJet ? &H : nullptr);
  std::array<Point<T>, K - 1> force;
  for (std::size_t k = 0; k < N; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    T& f = force[k / 3][k % 3];
    f = T(g[i]);
    if constexpr (kJet) {
      for (std::size_t l = 0; l < N; ++l) {
        const double slope = H(i, static_cast<Eigen::Index>(l));
        for (std::size_t j = 0; j < N; ++j) {
          f.gradient[j] += slope * shape[l / 3][l % 3].gradient[j];
        }
      }
    }
  }
  T work(0);
  for (std::size_t a = 0; a + 1 < K; ++a) {
    force[a] = add(force[a], quarter * dot(omega, force[a]), omega);
    for (T& f : force[a]) f = f / s;
    work += dot(force[a], d[a]);
  }
  if (!(plain(split.square) > kSmall * kSmall * at.squaredNorm())) return force;

  LocalVector<N> end;
  const double e1 = local.evaluate(e0 + displacement, kJet ? &end : nullptr, nullptr);
  const double start = local.evaluate(e0, nullptr, nullptr);
  const T c = (end_value<T, N>(e1, end) - start - work) / split.square;
  for (std::size_t a = 0; a + 1 < K; ++a) force[a] = add(force[a], c, split.w[a + 1]);
  return force;
}

}  // namespace detail

template <class Local>
void invariant_discrete(const Local& local, const LocalVector<kLocalSize<Local>>& e0,
                        const LocalVector<kLocalSize<Local>>& d,
                        LocalVector<kLocalSize<Local>>& gradient,
                        LocalMatrix<kLocalSize<Local>>* jacobian) {
  constexpr int N = 3 * (Local::kVertices - 1);
  if (!jacobian) {
    const auto force = detail::invariant_discrete<double>(local, e0, d);
    for (std::size_t k = 0; k < N; ++k) {
      gradient[static_cast<Eigen::Index>(k)] = force[k / 3][k % 3];
    }
    return;
  }
  const auto force = detail::invariant_discrete<Jet1<N>>(local, e0, d);
  for (std::size_t k = 0; k < N; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    gradient[i] = force[k / 3][k % 3].value;
    for (std::size_t j = 0; j < N; ++j) {
      (*jacobian)(i, static_cast<Eigen::Index>(j)) = force[k / 3][k % 3].gradient[j];
    }
  }
}

}  // namespace lilyan
