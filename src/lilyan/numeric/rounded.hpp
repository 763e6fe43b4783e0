// A number that knows how wrong rounding may have made it (Wilkinson's running error analysis).
//
//   Rounded x(3.0), y = x * x - 9.0;     y.value == 0, y.error bounds |y.value − exact value|
//
// Formulas that are templates over their scalar type, such as a material's energy, give with it a bound on
// the error of what they computed, for the inputs at hand. Every operation adds the rounding of its own
// result, u|value| with u = ε/2, to what it makes of the errors of its operands. Products of two errors are
// kept: the bound holds for large errors, too, and is infinite where a divisor may be zero.
#pragma once

#include <cmath>
#include <limits>

#include "lilyan/base/types.hpp"

namespace lilyan {

inline constexpr double kUnitRoundoff = 0.5 * kEpsilon;

struct Rounded {
  double value = 0;
  double error = 0;  // ≥ 0

  Rounded() = default;
  Rounded(double exact) : value(exact) {}  // NOLINT(google-explicit-constructor): as a double would
  Rounded(double v, double e) : value(v), error(e) {}

  Rounded& operator+=(const Rounded& o) { return *this = *this + o; }
  Rounded& operator-=(const Rounded& o) { return *this = *this - o; }
  Rounded& operator*=(const Rounded& o) { return *this = *this * o; }

  friend Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    return result(a.value + b.value, a.error + b.error);
  }
  friend Rounded operator-(const Rounded& a, const Rounded& b) {
    return result(a.value - b.value, a.error + b.error);
  }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    return result(a.value * b.value,
                  std::abs(a.value) * b.error + (std::abs(b.value) + b.error) * a.error);
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    const double value = a.value / b.value;
    const double least = std::abs(b.value) - b.error;
    if (!(least > 0)) return {value, std::numeric_limits<double>::infinity()};
    return result(value, (a.error + std::abs(value) * b.error) / least);
  }
  friend bool operator<(const Rounded& a, const Rounded& b) { return a.value < b.value; }
  friend bool operator>(const Rounded& a, const Rounded& b) { return a.value > b.value; }
  friend bool operator<=(const Rounded& a, const Rounded& b) { return a.value <= b.value; }
  friend bool operator>=(const Rounded& a, const Rounded& b) { return a.value >= b.value; }
  friend bool operator==(const Rounded& a, const Rounded& b) { return a.value == b.value; }

  // A value whose last operation was rounded to within so many units.
  static Rounded result(double value, double error, double units = 1) {
    return {value, error + units * kUnitRoundoff * std::abs(value)};
  }
};

// The logarithm of lanes is good to two units.
inline Rounded log(const Rounded& x) {
  const double least = x.value - x.error;
  if (!(least > 0)) return {std::log(x.value), std::numeric_limits<double>::infinity()};
  return Rounded::result(std::log(x.value), x.error / least, 2);
}
// ln(1 + x) without the rounding error of 1 + x (material/detail/strain_invariants.hpp).
inline Rounded log_of_one_plus(const Rounded& x) {
  const double value = std::log1p(x.value);
  const double least = 1 + x.value - x.error;
  if (!(least > 0)) return {value, std::numeric_limits<double>::infinity()};
  return Rounded::result(value, x.error / least, 6);
}
inline Rounded sqrt(const Rounded& x) {
  const double root = std::sqrt(x.value);
  if (!(x.value > 0)) return {root, std::sqrt(x.error)};
  // |√x − √y| = |x − y|/(√x + √y), and √y is at least 0
  return Rounded::result(root, x.error / (root + std::sqrt(std::fmax(0.0, x.value - x.error))));
}
inline Rounded inverse_cube_root(const Rounded& x) {
  const double value = 1 / std::cbrt(x.value);
  const double least = x.value - x.error;
  if (!(least > 0)) return {value, std::numeric_limits<double>::infinity()};
  return Rounded::result(value, x.error / (3 * least * std::cbrt(least)), 4);
}

}  // namespace lilyan
