// Values with first derivatives by N variables for a pack of points at once: Jet1 (core/jet2.hpp)
// of packs, with the functions that packs have.
#pragma once

#include <array>
#include <cstddef>

#include "lilyan/core/jet2.hpp"
#include "lilyan/core/lane_math.hpp"

namespace lilyan {

template <AnyPack P, int N>
struct LaneJet {
  static constexpr int kVariables = N;

  P value{};
  std::array<P, N> gradient{};

  LaneJet() = default;
  // Constants; implicit, so that formulas may mix jets with numbers.
  LaneJet(double constant) : value(P{} + constant) {}  // NOLINT(google-explicit-constructor)
  LaneJet(const P& constant) : value(constant) {}      // NOLINT(google-explicit-constructor)

  [[nodiscard]] static LaneJet variable(const P& at, int i) {
    LaneJet x(at);
    x.gradient[static_cast<std::size_t>(i)] = P{} + 1.0;
    return x;
  }

  // g∘a and g∘(a, b), by values and derivatives at the values of a and b.
  [[nodiscard]] static LaneJet chain(const LaneJet& a, const P& g, const P& g1) {
    LaneJet r(g);
    for (std::size_t i = 0; i < N; ++i) r.gradient[i] = g1 * a.gradient[i];
    return r;
  }
  [[nodiscard]] static LaneJet chain(const LaneJet& a, const LaneJet& b, const P& g, const P& by_a,
                                     const P& by_b) {
    LaneJet r(g);
    for (std::size_t i = 0; i < N; ++i) r.gradient[i] = by_a * a.gradient[i] + by_b * b.gradient[i];
    return r;
  }

  LaneJet& operator+=(const LaneJet& b) {
    value += b.value;
    for (std::size_t i = 0; i < N; ++i) gradient[i] += b.gradient[i];
    return *this;
  }
  LaneJet& operator-=(const LaneJet& b) {
    value -= b.value;
    for (std::size_t i = 0; i < N; ++i) gradient[i] -= b.gradient[i];
    return *this;
  }
  LaneJet& operator*=(double b) {
    value *= b;
    for (P& g : gradient) g *= b;
    return *this;
  }
  LaneJet& operator*=(const LaneJet& b) { return *this = *this * b; }
  LaneJet& operator/=(double b) { return *this *= 1 / b; }
  LaneJet& operator/=(const LaneJet& b) { return *this = *this / b; }

  friend LaneJet operator+(LaneJet a, const LaneJet& b) { return a += b; }
  friend LaneJet operator+(LaneJet a, double b) {
    a.value += b;
    return a;
  }
  friend LaneJet operator+(double a, LaneJet b) { return b + a; }
  friend LaneJet operator-(LaneJet a, const LaneJet& b) { return a -= b; }
  friend LaneJet operator-(LaneJet a, double b) { return a + (-b); }
  friend LaneJet operator-(double a, LaneJet b) { return (b *= -1) + a; }
  friend LaneJet operator-(LaneJet a) { return a *= -1; }
  friend LaneJet operator+(const LaneJet& a) { return a; }
  friend LaneJet operator*(LaneJet a, double b) { return a *= b; }
  friend LaneJet operator*(double a, LaneJet b) { return b *= a; }
  friend LaneJet operator/(LaneJet a, double b) { return a /= b; }
  friend LaneJet operator*(const LaneJet& a, const LaneJet& b) {
    return chain(a, b, a.value * b.value, b.value, a.value);
  }
  friend LaneJet operator/(const LaneJet& a, const LaneJet& b) {
    const P i = 1.0 / b.value;
    const P q = a.value * i;
    return chain(a, b, q, i, -q * i);
  }
  friend LaneJet operator/(double a, const LaneJet& b) {
    const P i = 1.0 / b.value;
    return chain(b, a * i, -a * i * i);
  }

  friend LaneJet sqrt(const LaneJet& a) {
    const P r = lilyan::sqrt(a.value);
    return chain(a, r, 0.5 / r);
  }
  friend LaneJet exp(const LaneJet& a) {
    const P e = lilyan::exp(a.value);
    return chain(a, e, e);
  }
  friend LaneJet log(const LaneJet& a) { return chain(a, lilyan::log(a.value), 1.0 / a.value); }
  friend LaneJet sin(const LaneJet& a) {
    return chain(a, lilyan::sin(a.value), lilyan::cos(a.value));
  }
  friend LaneJet cos(const LaneJet& a) {
    return chain(a, lilyan::cos(a.value), -lilyan::sin(a.value));
  }
};

namespace detail {
template <class T, int N>
struct FirstJetOf {
  using Type = LaneJet<T, N>;
};
template <int N>
struct FirstJetOf<double, N> {
  using Type = Jet1<N>;
};
}  // namespace detail

// Jet1<N> of numbers, LaneJet of packs.
template <class T, int N>
using FirstJet = typename detail::FirstJetOf<T, N>::Type;

}  // namespace lilyan
