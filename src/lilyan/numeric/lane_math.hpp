// sin, cos and exp of packs, to two units in the last place.
//
// The names work for numbers too, so that one template serves both. Packs are built-in types, which
// no namespace belongs to: a template outside of lilyan that calls sin for a pack needs a
// `using lilyan::sin;`.
#pragma once

#include <cmath>
#include <numbers>

#include "lilyan/numeric/lanes.hpp"

namespace lilyan {

using std::cos;
using std::exp;
using std::sin;

namespace detail {

// Adding it rounds to a whole number, whose last bits are then those of the sum.
inline constexpr double kRound = 0x1.8p52;

// f lane by lane, for arguments that the short formulas do not cover. In memory, since how packs
// are passed to a function that is not inlined depends on the instruction set.
template <class Function>
[[gnu::noinline, gnu::cold]] void each_lane(double* x, int lanes, const Function& f) {
  for (int i = 0; i < lanes; ++i) x[i] = f(x[i]);
}
template <AnyPack P, class Function>
[[gnu::always_inline]] inline P each_lane(const P& x, const Function& f) {
  double values[lanes_of<P>];
  std::memcpy(values, &x, sizeof(P));
  each_lane(values, lanes_of<P>, f);
  return load<P>(values);
}

// x = n π/2 + high + low, |high| ≤ π/4, for |x| ≤ kMost.
template <AnyPack P>
struct QuarterTurn {
  static constexpr double kMost = 1e5;

  BitsOf<P> n;
  P high, low;

  // π/2 in three parts, the first two with 33 bits, whose products with n (17 bits) are exact (as
  // in Sun's fdlibm).
  explicit QuarterTurn(const P& x) {
    constexpr double kFirst = 0x1.921fb544p+0;
    constexpr double kSecond = 0x1.0b4611a6p-34;
    constexpr double kThird = 0x1.3198a2e037073p-69;
    const P shifted = x * (2 / std::numbers::pi) + kRound;
    n = (BitsOf<P>)shifted;
    const P turns = shifted - kRound;
    const P r = x - turns * kFirst;  // exact
    const P second = turns * kSecond;
    const P s = r - second;
    const P tail = turns * kThird - ((r - s) - second);
    high = s - tail;
    low = (s - high) - tail;
  }
};

// sin(x + y) and cos(x + y) for |x| ≤ π/4 and a tiny y: fdlibm's polynomials.
template <AnyPack P>
inline P sin_near_zero(const P& x, const P& y) {
  const P z = x * x;
  const P v = z * x;
  P r = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08;
  r = r * z + 2.75573137070700676789e-06;
  r = r * z - 1.98412698298579493134e-04;
  r = r * z + 8.33333333332248946124e-03;
  return x - ((z * (0.5 * y - v * r) - y) + v * 1.66666666666666324348e-01);
}
template <AnyPack P>
inline P cos_near_zero(const P& x, const P& y) {
  const P z = x * x;
  P r = 2.08757232129817482790e-09 - z * 1.13596475577881948265e-11;
  r = r * z - 2.75573143513906633035e-07;
  r = r * z + 2.48015872894767294178e-05;
  r = r * z - 1.38888888888741095749e-03;
  r = r * z + 4.16666666666666019037e-02;
  const P half = 0.5 * z;
  const P w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * (z * r) - x * y));
}

// The sine of n + quarters quarter turns and the rest. The two last bits of n say its sign and
// whether sine and cosine change places.
template <AnyPack P>
inline P turned(const QuarterTurn<P>& t, const P& sine, const P& cosine, std::int64_t quarters) {
  const BitsOf<P> n = t.n + quarters;
  const P chosen = (n & 1) != 0 ? cosine : sine;
  return (P)((BitsOf<P>)chosen ^ ((n & 2) << 62));
}

template <AnyPack P>
inline bool beyond(const P& x, double most) {
  return any_lane(!(x <= most)) || any_lane(!(x >= -most));
}

}  // namespace detail

template <AnyPack P>
inline P sin(const P& x) {
  if (detail::beyond(x, detail::QuarterTurn<P>::kMost)) [[unlikely]] {
    return detail::each_lane(x, [](double a) { return std::sin(a); });
  }
  const detail::QuarterTurn<P> t(x);
  return detail::turned(t, detail::sin_near_zero(t.high, t.low),
                        detail::cos_near_zero(t.high, t.low), 0);
}

template <AnyPack P>
inline P cos(const P& x) {
  if (detail::beyond(x, detail::QuarterTurn<P>::kMost)) [[unlikely]] {
    return detail::each_lane(x, [](double a) { return std::cos(a); });
  }
  const detail::QuarterTurn<P> t(x);
  return detail::turned(t, detail::sin_near_zero(t.high, t.low),
                        detail::cos_near_zero(t.high, t.low), 1);
}

// 2ⁿ eʳ, x = n ln 2 + r, |r| ≤ ½ ln 2, by r's Taylor polynomial, of which 13 terms are enough. 2ⁿ
// in two factors, since results as far as the ends of the range need exponents beyond it.
template <AnyPack P>
inline P exp(const P& x) {
  constexpr double kLog2High = 0x1.62e42fefa38p-1;  // ln 2 = high + low; n·high is exact
  constexpr double kLog2Low = 0x1.ef35793c7673p-45;
  const P at = x > 720.0 ? P{} + 720.0 : (x < -760.0 ? P{} - 760.0 : x);
  const P shifted = at * (1 / std::numbers::ln2) + detail::kRound;
  const BitsOf<P> n = (BitsOf<P>)shifted - (BitsOf<P>)(P{} + detail::kRound);
  const P turns = shifted - detail::kRound;
  const P high = at - turns * kLog2High;
  const P low = turns * kLog2Low;
  const P r = high - low;
  const P rest = (high - r) - low;
  P sum = P{} + 1.0 / 6227020800;  // 1/13!
  double inverse = 1.0 / 479001600;
  for (int k = 12; k >= 2; inverse *= k--) sum = sum * r + inverse;
  const P y = 1.0 + (r + (rest + r * r * sum));
  const BitsOf<P> half = n >> 1;
  return y * (P)((half + 1023) << 52) * (P)((n - half + 1023) << 52);
}

}  // namespace lilyan
