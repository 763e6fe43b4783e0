// Packs of doubles, one finite element per lane.
//
// GCC's and Clang's vector extensions give + − · / on whole packs. Packs come in the widths of the
// registers that processors have: code is fast for a pack of its target's width, and correct for
// the others, with the same results up to the contraction of multiply–adds. The functions here work
// on whole packs too.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

namespace lilyan {

namespace detail {
template <int kWidth>
struct PackTraits {
  using Type [[gnu::vector_size(kWidth * sizeof(double))]] = double;
  using Unsigned [[gnu::vector_size(kWidth * sizeof(double))]] = std::uint64_t;
};
}  // namespace detail

template <int kWidth>
using PackOf = typename detail::PackTraits<kWidth>::Type;

inline constexpr int kLanes = 8;  // of the widest, in which elements are grouped
using Pack = PackOf<kLanes>;

template <class P>
concept AnyPack =
    std::same_as<P, PackOf<2>> || std::same_as<P, PackOf<4>> || std::same_as<P, PackOf<8>>;
template <AnyPack P>
inline constexpr int lanes_of = sizeof(P) / sizeof(double);
// A pack's bits; also what comparisons of packs give, all bits set where they hold.
template <AnyPack P>
using BitsOf = decltype(P{} < P{});
// A pack's bits for arithmetic that may overflow.
template <AnyPack P>
using UnsignedBitsOf = typename detail::PackTraits<lanes_of<P>>::Unsigned;

template <AnyPack P>
inline P load(const double* from) {
  P r;
  std::memcpy(&r, from, sizeof(P));
  return r;
}

// x₀ y₀ x₂ y₂ …, and x₁ y₁ x₃ y₃ ….
template <AnyPack P>
inline P interleave_even(const P& x, const P& y) {
  if constexpr (lanes_of<P> == 8) {
    return __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
  } else if constexpr (lanes_of<P> == 4) {
    return __builtin_shufflevector(x, y, 0, 4, 2, 6);
  } else {
    return __builtin_shufflevector(x, y, 0, 2);
  }
}
template <AnyPack P>
inline P interleave_odd(const P& x, const P& y) {
  if constexpr (lanes_of<P> == 8) {
    return __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  } else if constexpr (lanes_of<P> == 4) {
    return __builtin_shufflevector(x, y, 1, 5, 3, 7);
  } else {
    return __builtin_shufflevector(x, y, 1, 3);
  }
}

// The natural logarithm to about one unit in the last place; −∞ at 0, not a number below.
//
// With x = 2ᵉ(1+f), √½ ≤ 1+f < √2, and s = f/(2+f):  ln(1+f) = 2 artanh s = 2s + s R,
// R = Σ 2s²ᵏ/(2k+1). Since 2s = f − s f, and s f = ½f² − ½s f²,
//   ln(1+f) = f − (½f² − s(½f² + R)),
// whose largest term f is exact.
template <AnyPack P>
inline P log(const P& x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // the bits of √½
  constexpr double kLog2High = 0x1.62e42fefa38p-1;         // ln 2 = high + low; e·high is exact
  constexpr double kLog2Low = 0x1.ef35793c7673p-45;
  const auto subnormal = x < 0x1p-1022;
  const UnsignedBitsOf<P> bits = (UnsignedBitsOf<P>)(subnormal ? 0x1p54 * x : x);
  const BitsOf<P> exponent = (BitsOf<P>)(bits - kRootHalf) >> 52;
  const P f = (P)(bits - ((UnsignedBitsOf<P>)exponent << 52)) - 1.0;
  const P e = __builtin_convertvector(exponent, P) - (subnormal ? P{} + 54.0 : P{});
  const P s = f / (2.0 + f);
  const P z = s * s;  // at most 0.0295, so that eleven terms are enough
  P R = P{} + 2.0 / 23;
  for (int k = 21; k >= 3; k -= 2) R = R * z + 2.0 / k;
  R *= z;
  const P half = 0.5 * f * f;
  const P r = e * kLog2High + (f - (half - (s * (half + R) + e * kLog2Low)));
  const P nan = P{} + std::numeric_limits<double>::quiet_NaN();
  const P outside = x == 0.0 ? P{} - kInfinity : nan;
  return x > 0.0 ? (x < kInfinity ? r : x) : outside;
}

// x^(−1/3) for x > 0; not a number otherwise.
template <AnyPack P>
inline P inverse_cube_root(const P& x) {
  // A double's bits, as an integer, are about 2⁵²(log₂x + 1023): minus a third of them gives y =
  // x^(−1/3) to a few percent. Then Householder's iteration with r = 1 − xy³, whose error is cubed
  // each time.
  constexpr double kOffset = 0x1p52 * (1023 * 4.0 / 3 - 0.058);
  const P guess = kOffset - (1.0 / 3) * __builtin_convertvector((BitsOf<P>)x, P);
  P y = (P) __builtin_convertvector(guess, BitsOf<P>);
  for (int k = 0; k < 3; ++k) {
    const P r = 1.0 - (x * y) * (y * y);
    y += y * r * (1.0 / 3 + (2.0 / 9) * r);
  }
  return x >= 0x1p-1022 ? y : P{} + std::numeric_limits<double>::quiet_NaN();
}

template <AnyPack P>
inline P sqrt(const P& x) {
  P r;
  for (int i = 0; i < lanes_of<P>; ++i) r[i] = std::sqrt(x[i]);
  return r;
}

inline double sqrt(double x) { return std::sqrt(x); }
inline double log(double x) { return std::log(x); }
inline std::complex<double> log(const std::complex<double>& x) { return std::log(x); }
inline double inverse_cube_root(double x) {
  return x > 0 ? 1 / std::cbrt(x) : std::numeric_limits<double>::quiet_NaN();
}
inline std::complex<double> inverse_cube_root(const std::complex<double>& x) {
  return std::exp(std::log(x) / -3.0);
}

template <AnyPack P>
inline double lane_sum(const P& x) {
  double s = 0;
  for (int i = 0; i < lanes_of<P>; ++i) s += x[i];
  return s;
}

// Whether a comparison holds in some lane.
template <class Bits>
inline bool any_lane(const Bits& mask) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < sizeof(Bits) / sizeof(std::int64_t); ++i) all |= mask[i];
  return all != 0;
}
inline bool any_lane(bool holds) { return holds; }

}  // namespace lilyan
