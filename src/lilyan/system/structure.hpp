// The structure of a Lagrangian given as a C++ function: whether it is separable, its masses, its
// cyclic coordinates. Found by calling it once with a scalar that keeps track of where values come
// from.
#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <compare>
#include <vector>

namespace lilyan {

struct LagrangianStructure {
  // L = ½ Σ massᵢ vᵢ² − E(q) with constant positive masses.
  bool separable = false;
  std::vector<double> mass;
  std::vector<char> cyclic;  // per coordinate: L does not depend on it
  bool depends_on_time = false;
};

// A value together with which variables it was computed from, and its form
//   f + Σ linearᵢ vᵢ + Σ_{i≤j} squareᵢⱼ vᵢvⱼ
// with constant coefficients, where it has that form: f a constant or any function of q and t.
template <int N>
struct Traced {
  double value = 0;
  std::bitset<2 * N + 1> depends;  // on q, on v, on t
  bool other = false;              // not of that form
  bool place = false;              // f depends on q or t; otherwise it is `constant`
  double constant = 0;
  std::array<double, N> linear{};
  std::array<double, N*(N + 1) / 2> square{};

  Traced() = default;
  Traced(double c) : value(c), constant(c) {}  // NOLINT(google-explicit-constructor)

  static std::size_t index(std::size_t i, std::size_t j) {
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
  }
  static Traced position(double at, std::size_t i) {
    Traced r(at);
    r.depends.set(i);
    r.place = true;
    return r;
  }
  static Traced velocity(double at, std::size_t i) {
    Traced r(at);
    r.constant = 0;
    r.depends.set(N + i);
    r.linear[i] = 1;
    return r;
  }

  [[nodiscard]] bool is_constant() const { return depends.none(); }
  [[nodiscard]] bool without_velocity() const {
    for (std::size_t i = 0; i < N; ++i) {
      if (depends[N + i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool affine() const {
    for (const double s : square) {
      if (s != 0) return false;
    }
    return !other && !place;
  }

  Traced& add(const Traced& b, double sign) {
    value += sign * b.value;
    depends |= b.depends;
    other = other || b.other;
    place = place || b.place;
    constant += sign * b.constant;
    for (std::size_t i = 0; i < linear.size(); ++i) linear[i] += sign * b.linear[i];
    for (std::size_t i = 0; i < square.size(); ++i) square[i] += sign * b.square[i];
    return *this;
  }
  Traced& scale(double c) {
    value *= c;
    constant *= c;
    for (double& a : linear) a *= c;
    for (double& a : square) a *= c;
    return *this;
  }
  // Some function of one or two values.
  static Traced of(double value, const Traced& a, const Traced& b) {
    Traced r(value);
    r.depends = a.depends | b.depends;
    if (r.depends.none()) return r;
    r.place = true;
    r.other = !r.without_velocity();
    return r;
  }
  static Traced of(double value, const Traced& a) { return of(value, a, a); }

  Traced& operator+=(const Traced& b) { return add(b, 1); }
  Traced& operator-=(const Traced& b) { return add(b, -1); }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }
  friend Traced operator+(Traced a, const Traced& b) { return a += b; }
  friend Traced operator-(Traced a, const Traced& b) { return a -= b; }
  friend Traced operator-(Traced a) { return a.scale(-1); }
  friend Traced operator+(const Traced& a) { return a; }
  friend Traced operator*(const Traced& a, const Traced& b) {
    if (a.is_constant()) return Traced(b).scale(a.value);
    if (b.is_constant()) return Traced(a).scale(b.value);
    if (!a.affine() || !b.affine()) return of(a.value * b.value, a, b);
    Traced r(a.constant * b.constant);
    r.value = a.value * b.value;
    r.depends = a.depends | b.depends;
    for (std::size_t i = 0; i < N; ++i) {
      r.linear[i] = a.constant * b.linear[i] + b.constant * a.linear[i];
      for (std::size_t j = 0; j < N; ++j) r.square[index(i, j)] += a.linear[i] * b.linear[j];
    }
    return r;
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    if (b.is_constant()) return Traced(a).scale(1 / b.value);
    return of(a.value / b.value, a, b);
  }

  // Branches go the way they would for numbers.
  friend bool operator==(const Traced& a, const Traced& b) { return a.value == b.value; }
  friend auto operator<=>(const Traced& a, const Traced& b) { return a.value <=> b.value; }

  friend Traced sqrt(const Traced& a) { return of(std::sqrt(a.value), a); }
  friend Traced exp(const Traced& a) { return of(std::exp(a.value), a); }
  friend Traced log(const Traced& a) { return of(std::log(a.value), a); }
  friend Traced sin(const Traced& a) { return of(std::sin(a.value), a); }
  friend Traced cos(const Traced& a) { return of(std::cos(a.value), a); }
  friend Traced tan(const Traced& a) { return of(std::tan(a.value), a); }
  friend Traced asin(const Traced& a) { return of(std::asin(a.value), a); }
  friend Traced acos(const Traced& a) { return of(std::acos(a.value), a); }
  friend Traced atan(const Traced& a) { return of(std::atan(a.value), a); }
  friend Traced sinh(const Traced& a) { return of(std::sinh(a.value), a); }
  friend Traced cosh(const Traced& a) { return of(std::cosh(a.value), a); }
  friend Traced tanh(const Traced& a) { return of(std::tanh(a.value), a); }
  friend Traced abs(const Traced& a) { return of(std::abs(a.value), a); }
  friend Traced atan2(const Traced& y, const Traced& x) {
    return of(std::atan2(y.value, x.value), y, x);
  }
  friend Traced pow(const Traced& a, double exponent) {
    if (exponent == 1) return a;
    if (exponent == 2) return a * a;
    return of(std::pow(a.value, exponent), a);
  }
};

namespace detail {

template <int N>
bool separable(const Traced<N>& l) {
  if (l.other || l.depends[2 * N]) return false;
  for (std::size_t i = 0; i < N; ++i) {
    if (l.linear[i] != 0) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (l.square[Traced<N>::index(i, j)] != 0) return false;
    }
    const double mass = 2 * l.square[Traced<N>::index(i, i)];
    if (!(mass > 0) || !std::isfinite(mass)) return false;
  }
  return true;
}

}  // namespace detail

// The structure of L(q, v) or L(q, v, t).
template <int N, class Function>
[[nodiscard]] LagrangianStructure lagrangian_structure(const Function& function) {
  std::array<Traced<N>, N> q, v;
  for (std::size_t i = 0; i < N; ++i) {
    q[i] = Traced<N>::position(1 + 0.1 * static_cast<double>(i), i);
    v[i] = Traced<N>::velocity(1 + 0.1 * static_cast<double>(i), i);
  }
  Traced<N> l;
  if constexpr (requires(const Traced<N>& t) { function(q, v, t); }) {
    l = function(q, v, Traced<N>::position(0, 2 * N));
  } else {
    l = function(q, v);
  }
  LagrangianStructure result;
  result.depends_on_time = l.depends[2 * N];
  result.separable = detail::separable(l);
  for (std::size_t i = 0; i < N; ++i) {
    result.cyclic.push_back(!l.depends[i]);
    if (result.separable) result.mass.push_back(2 * l.square[Traced<N>::index(i, i)]);
  }
  return result;
}

}  // namespace lilyan
