// Values with exact first and second derivatives by N variables (forward automatic
// differentiation), for the local energies of small elements whose closed forms are too long; and
// points in space over any scalar, in which such energies are written.
//
//   using J = Jet2<3>;
//   const std::array<J, 3> x = J::variables(std::array{1.0, 2.0, 3.0});
//   const J f = sqrt(x[0] * x[0] + x[1] * x[1]) / x[2];
//   f.value, f.gradient[i], f.hessian(i, j)
//
// Write the energy once as a template over the scalar: with double it gives the value, with
// Jet1<N> value and gradient, with Jet2<N> all three. All storage is in the object. A jet over a
// pack of doubles (numeric/lanes.hpp) differentiates at several points at once, with the functions
// that packs have: sqrt, exp, log, sin, cos.
//
// For a function g of one argument a, with dots for derivatives by the variables,
//   (g∘a)_i = g' a_i,   (g∘a)_ij = g' a_ij + g'' a_i a_j                                        (1)
// and for one of two arguments a, b
//   g_i = g_a a_i + g_b b_i,   g_ij = g_a a_ij + g_b b_ij + g_aa a_i a_j + g_bb b_i b_j
//                                     + g_ab (a_i b_j + b_i a_j)                                (2)
//
// Eigen's AutoDiffScalar nested in itself was considered: it stores and computes all N² second
// derivatives where N(N+1)/2 do, carries the first ones twice, lives among the unsupported modules,
// and its operators return expressions that refer to temporaries, which `auto` then keeps.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>

#include "lilyan/numeric/lane_math.hpp"

namespace lilyan {

// T: double, or a pack of doubles.
template <int N, int Order, class T = double>
struct Jet {
  static_assert(N > 0 && (Order == 1 || Order == 2));
  static_assert(std::same_as<T, double> || AnyPack<T>);
  static constexpr int kVariables = N;
  static constexpr int kSecond = Order == 2 ? N * (N + 1) / 2 : 0;

  T value{};
  std::array<T, N> gradient{};
  // Upper triangle row by row: (0,0),(0,1),…,(0,N−1),(1,1),…
  std::array<T, kSecond> second{};

  Jet() = default;
  // Constants; implicit, so that formulas may mix jets with numbers.
  Jet(const T& constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  Jet(double constant) requires AnyPack<T>     // NOLINT(google-explicit-constructor)
      : value(T{} + constant) {}

  static constexpr int index(int i, int j) {
    const int low = i < j ? i : j;
    const int high = i < j ? j : i;
    return low * N - low * (low - 1) / 2 + high - low;
  }
  [[nodiscard]] T hessian(int i, int j) const requires(Order == 2) {
    return second[static_cast<std::size_t>(index(i, j))];
  }

  [[nodiscard]] static Jet variable(const T& at, int i) {
    Jet x(at);
    x.gradient[static_cast<std::size_t>(i)] = T{} + 1.0;
    return x;
  }
  [[nodiscard]] static std::array<Jet, N> variables(const std::array<T, N>& at) {
    std::array<Jet, N> x;
    for (int i = 0; i < N; ++i) {
      x[static_cast<std::size_t>(i)] = variable(at[static_cast<std::size_t>(i)], i);
    }
    return x;
  }

  // (1): a function of one argument, by its value and two derivatives at a.value.
  [[nodiscard]] static Jet chain(const Jet& a, const T& g, const T& g1, const T& g2) {
    Jet r(g);
    for (std::size_t i = 0; i < N; ++i) r.gradient[i] = g1 * a.gradient[i];
    if constexpr (Order == 2) {
      std::size_t k = 0;
      for (std::size_t i = 0; i < N; ++i) {
        const T row = g2 * a.gradient[i];
        for (std::size_t j = i; j < N; ++j, ++k) {
          r.second[k] = g1 * a.second[k] + row * a.gradient[j];
        }
      }
    }
    return r;
  }
  // (2): a function of two arguments, by its derivatives at (a.value, b.value).
  struct TwoDerivatives {
    T a, b, aa, ab, bb;
  };
  [[nodiscard]] static Jet chain(const Jet& a, const Jet& b, const T& g, const TwoDerivatives& d) {
    Jet r(g);
    for (std::size_t i = 0; i < N; ++i) r.gradient[i] = d.a * a.gradient[i] + d.b * b.gradient[i];
    if constexpr (Order == 2) {
      std::size_t k = 0;
      for (std::size_t i = 0; i < N; ++i) {
        const T by_a = d.aa * a.gradient[i] + d.ab * b.gradient[i];
        const T by_b = d.ab * a.gradient[i] + d.bb * b.gradient[i];
        for (std::size_t j = i; j < N; ++j, ++k) {
          r.second[k] =
              d.a * a.second[k] + d.b * b.second[k] + by_a * a.gradient[j] + by_b * b.gradient[j];
        }
      }
    }
    return r;
  }

  Jet& operator+=(const Jet& b) {
    value += b.value;
    for (std::size_t i = 0; i < N; ++i) gradient[i] += b.gradient[i];
    for (std::size_t k = 0; k < second.size(); ++k) second[k] += b.second[k];
    return *this;
  }
  Jet& operator-=(const Jet& b) {
    value -= b.value;
    for (std::size_t i = 0; i < N; ++i) gradient[i] -= b.gradient[i];
    for (std::size_t k = 0; k < second.size(); ++k) second[k] -= b.second[k];
    return *this;
  }
  Jet& operator*=(double b) {
    value *= b;
    for (T& g : gradient) g *= b;
    for (T& s : second) s *= b;
    return *this;
  }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(double b) { return *this *= 1 / b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }

  friend Jet operator+(Jet a, const Jet& b) { return a += b; }
  friend Jet operator+(Jet a, double b) {
    a.value += b;
    return a;
  }
  friend Jet operator+(double a, Jet b) { return b + a; }
  friend Jet operator-(Jet a, const Jet& b) { return a -= b; }
  friend Jet operator-(Jet a, double b) { return a + (-b); }
  friend Jet operator-(double a, Jet b) { return (b *= -1) + a; }
  friend Jet operator-(Jet a) { return a *= -1; }
  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator*(Jet a, double b) { return a *= b; }
  friend Jet operator*(double a, Jet b) { return b *= a; }
  friend Jet operator/(Jet a, double b) { return a /= b; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return chain(a, b, a.value * b.value, {b.value, a.value, T{}, T{} + 1.0, T{}});
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const T i = 1.0 / b.value;
    const T q = a.value * i;
    return chain(a, b, q, {i, -q * i, T{}, -i * i, 2.0 * q * i * i});
  }
  friend Jet operator/(double a, const Jet& b) {
    const T i = 1.0 / b.value;
    return chain(b, a * i, -a * i * i, 2 * a * i * i * i);
  }

  // Comparisons look at the values only, so that branches go the way they would for numbers.
  friend bool operator==(const Jet& a, const Jet& b) requires std::same_as<T, double> {
    return a.value == b.value;
  }
  friend auto operator<=>(const Jet& a, const Jet& b) requires std::same_as<T, double> {
    return a.value <=> b.value;
  }

  friend Jet sqrt(const Jet& a) {
    const T r = lilyan::sqrt(a.value);
    return chain(a, r, 0.5 / r, -0.25 / (r * a.value));
  }
  friend Jet exp(const Jet& a) {
    const T e = lilyan::exp(a.value);
    return chain(a, e, e, e);
  }
  friend Jet log(const Jet& a) {
    const T i = 1.0 / a.value;
    return chain(a, lilyan::log(a.value), i, -i * i);
  }
  friend Jet sin(const Jet& a) {
    const T s = lilyan::sin(a.value);
    return chain(a, s, lilyan::cos(a.value), -s);
  }
  friend Jet cos(const Jet& a) {
    const T c = lilyan::cos(a.value);
    return chain(a, c, -lilyan::sin(a.value), -c);
  }

  // Jets of packs do not have the following functions.
  friend Jet tan(const Jet& a) {
    const double t = std::tan(a.value);
    const double t1 = 1 + t * t;
    return chain(a, t, t1, 2 * t * t1);
  }
  friend Jet sinh(const Jet& a) {
    const double s = std::sinh(a.value);
    return chain(a, s, std::cosh(a.value), s);
  }
  friend Jet cosh(const Jet& a) {
    const double c = std::cosh(a.value);
    return chain(a, c, std::sinh(a.value), c);
  }
  friend Jet tanh(const Jet& a) {
    const double t = std::tanh(a.value);
    const double t1 = 1 - t * t;
    return chain(a, t, t1, -2 * t * t1);
  }
  friend Jet asin(const Jet& a) {
    const double i = 1 / std::sqrt(1 - a.value * a.value);
    return chain(a, std::asin(a.value), i, a.value * i * i * i);
  }
  friend Jet acos(const Jet& a) {
    const double i = 1 / std::sqrt(1 - a.value * a.value);
    return chain(a, std::acos(a.value), -i, -a.value * i * i * i);
  }
  friend Jet atan(const Jet& a) {
    const double i = 1 / (1 + a.value * a.value);
    return chain(a, std::atan(a.value), i, -2 * a.value * i * i);
  }
  friend Jet atan2(const Jet& y, const Jet& x) {
    const double i = 1 / (x.value * x.value + y.value * y.value);
    const double cross = 2 * x.value * y.value * i * i;
    const double difference = (y.value * y.value - x.value * x.value) * i * i;
    return chain(y, x, std::atan2(y.value, x.value),
                 {x.value * i, -y.value * i, -cross, difference, cross});
  }
  // A constant exponent.
  friend Jet pow(const Jet& a, double exponent) {
    return chain(a, std::pow(a.value, exponent), exponent * std::pow(a.value, exponent - 1),
                 exponent * (exponent - 1) * std::pow(a.value, exponent - 2));
  }
  // At its kink the derivative from the right.
  friend Jet abs(const Jet& a) { return a.value < 0 ? -a : a; }
};

template <int N>
using Jet1 = Jet<N, 1>;
template <int N>
using Jet2 = Jet<N, 2>;

template <class T>
using Point3 = std::array<T, 3>;

template <class T>
Point3<T> minus(const Point3<T>& a, const Point3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
T dot(const Point3<T>& a, const Point3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Point3<T> cross(const Point3<T>& a, const Point3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace lilyan
