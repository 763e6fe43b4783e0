// Packs of doubles, one finite element per lane.
//
// GCC's and Clang's vector extensions give + − · / on whole packs; the compiler maps a pack to
// whatever the target has (one AVX-512 register, two AVX2 registers, …), with the same results up
// to the contraction of multiply–adds. The functions here work on whole packs too.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace lilyan {

inline constexpr int kLanes = 8;
using Pack [[gnu::vector_size(kLanes * sizeof(double))]] = double;
// A pack's bits; also what comparisons of packs give, all bits set where they hold.
using PackBits [[gnu::vector_size(kLanes * sizeof(double))]] = std::int64_t;

// The natural logarithm to about one unit in the last place; −∞ at 0, not a number below.
//
// With x = 2ᵉ(1+f), √½ ≤ 1+f < √2, and s = f/(2+f):  ln(1+f) = 2 artanh s = 2s + s R,
// R = Σ 2s²ᵏ/(2k+1). Since 2s = f − s f, and s f = ½f² − ½s f²,
//   ln(1+f) = f − (½f² − s(½f² + R)),
// whose largest term f is exact.
inline Pack log(const Pack& x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kRootHalf = 0x3fe6a09e667f3bcd;  // the bits of √½
  constexpr double kLog2High = 0x1.62e42fefa38p-1;        // ln 2 = high + low; e·high is exact
  constexpr double kLog2Low = 0x1.ef35793c7673p-45;
  const auto subnormal = x < 0x1p-1022;
  const PackBits bits = (PackBits)(subnormal ? 0x1p54 * x : x);
  const PackBits exponent = (bits - kRootHalf) >> 52;
  const Pack f = (Pack)(bits - (exponent << 52)) - 1.0;
  const Pack e = __builtin_convertvector(exponent, Pack) - (subnormal ? Pack{} + 54.0 : Pack{});
  const Pack s = f / (2.0 + f);
  const Pack z = s * s;  // at most 0.0295, so that eleven terms are enough
  Pack R = Pack{} + 2.0 / 23;
  for (int k = 21; k >= 3; k -= 2) R = R * z + 2.0 / k;
  R *= z;
  const Pack half = 0.5 * f * f;
  const Pack r = e * kLog2High + (f - (half - (s * (half + R) + e * kLog2Low)));
  const Pack nan = Pack{} + std::numeric_limits<double>::quiet_NaN();
  const Pack outside = x == 0.0 ? Pack{} - kInfinity : nan;
  return x > 0.0 ? (x < kInfinity ? r : x) : outside;
}

// x^(−1/3) for x > 0; not a number otherwise.
inline Pack inverse_cube_root(const Pack& x) {
  // A double's bits, as an integer, are about 2⁵²(log₂x + 1023): minus a third of them gives y =
  // x^(−1/3) to a few percent. Then Householder's iteration with r = 1 − xy³, whose error is cubed
  // each time.
  constexpr double kOffset = 0x1p52 * (1023 * 4.0 / 3 - 0.058);
  const Pack guess = kOffset - (1.0 / 3) * __builtin_convertvector((PackBits)x, Pack);
  Pack y = (Pack) __builtin_convertvector(guess, PackBits);
  for (int k = 0; k < 3; ++k) {
    const Pack r = 1.0 - (x * y) * (y * y);
    y += y * r * (1.0 / 3 + (2.0 / 9) * r);
  }
  return x >= 0x1p-1022 ? y : Pack{} + std::numeric_limits<double>::quiet_NaN();
}

inline Pack sqrt(const Pack& x) {
  Pack r;
  for (int i = 0; i < kLanes; ++i) r[i] = std::sqrt(x[i]);
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

inline double lane_sum(const Pack& x) {
  double s = 0;
  for (int i = 0; i < kLanes; ++i) s += x[i];
  return s;
}

// Whether a comparison holds in some lane.
inline bool any_lane(const PackBits& mask) {
  std::int64_t all = 0;
  for (int i = 0; i < kLanes; ++i) all |= mask[i];
  return all != 0;
}
inline bool any_lane(bool holds) { return holds; }

}  // namespace lilyan
