// The operations of expressions, their values for numbers, and the special functions among them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lilyan {

enum class Operation : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  sign,  // −1, 0 or 1
  min,
  max,
  sn,  // Jacobi's elliptic functions of (u, m), m = k²
  cn,
  dn,
  ellint_k,  // complete elliptic integral of the first kind of m
  kepler,    // E of (M, e) with E − e sin E = M
  // Only through if(...): 1 where the comparison holds, otherwise 0.
  less,
  less_equal,
  select,  // (condition, a, b)
  // a·b, but 0 where a is 0, whatever b is. Derivatives need it: an unchosen branch of an if
  // contributes 0 times something that may be infinite or not a number.
  guarded_multiply,
  // Only in programs.
  multiply_add,       // a·b + c
  multiply_subtract,  // a·b − c
  subtract_multiply,  // c − a·b
};

[[nodiscard]] int argument_count(Operation operation);

[[nodiscard]] double evaluate(Operation operation, double a, double b = 0, double c = 0);

// The functions that a text can call, by name.
struct NamedFunction {
  std::string_view name;
  Operation operation;
};
[[nodiscard]] std::span<const NamedFunction> named_functions();
[[nodiscard]] std::string_view function_name(Operation operation);  // empty for the others

// Functions that closed solutions of mechanics need and the standard library lacks. Outside of their
// domain they are not a number; they never throw.

struct JacobiElliptic {
  double sn, cn, dn;
};
// Jacobi's elliptic functions of the argument u and the parameter m = k², for any finite m.
[[nodiscard]] JacobiElliptic jacobi_elliptic(double u, double m);

// K(m) = ∫₀^{π/2} dθ / √(1 − m sin²θ), m ≤ 1 (∞ at 1).
[[nodiscard]] double complete_elliptic_k(double m);

// The eccentric anomaly E with E − e sin E = M, |e| ≤ 1.
[[nodiscard]] double eccentric_anomaly(double M, double e);

}  // namespace lilyan
