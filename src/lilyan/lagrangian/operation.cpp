#include "lilyan/lagrangian/operation.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {

constexpr std::array kFunctions = {
    NamedFunction{"sin", Operation::sin},
    NamedFunction{"cos", Operation::cos},
    NamedFunction{"tan", Operation::tan},
    NamedFunction{"asin", Operation::asin},
    NamedFunction{"acos", Operation::acos},
    NamedFunction{"atan", Operation::atan},
    NamedFunction{"atan2", Operation::atan2},
    NamedFunction{"sinh", Operation::sinh},
    NamedFunction{"cosh", Operation::cosh},
    NamedFunction{"tanh", Operation::tanh},
    NamedFunction{"exp", Operation::exp},
    NamedFunction{"log", Operation::log},
    NamedFunction{"sqrt", Operation::sqrt},
    NamedFunction{"abs", Operation::abs},
    NamedFunction{"sign", Operation::sign},
    NamedFunction{"min", Operation::min},
    NamedFunction{"max", Operation::max},
    NamedFunction{"sn", Operation::sn},
    NamedFunction{"cn", Operation::cn},
    NamedFunction{"dn", Operation::dn},
    NamedFunction{"ellint_k", Operation::ellint_k},
    NamedFunction{"kepler", Operation::kepler},
};

// (r²)^(−3/2) and its like are common, and pow costs many times a root.
double constant_power(double x, double exponent) {
  const double twice = 2 * exponent;
  if (twice != std::floor(twice) || std::abs(exponent) > 8) return std::pow(x, exponent);
  const int whole = static_cast<int>(std::floor(std::abs(exponent)));
  double result = exponent == std::floor(exponent) ? 1 : std::sqrt(x);
  for (int i = 0; i < whole; ++i) result *= x;
  return exponent < 0 ? 1 / result : result;
}

}  // namespace

std::span<const NamedFunction> named_functions() { return kFunctions; }

std::string_view function_name(Operation operation) {
  for (const NamedFunction& f : kFunctions) {
    if (f.operation == operation) return f.name;
  }
  return {};
}

int argument_count(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::variable: return 0;
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::power:
    case Operation::atan2:
    case Operation::min:
    case Operation::max:
    case Operation::sn:
    case Operation::cn:
    case Operation::dn:
    case Operation::kepler:
    case Operation::less:
    case Operation::less_equal:
    case Operation::guarded_multiply: return 2;
    case Operation::select:
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_multiply: return 3;
    default: return 1;
  }
}

double evaluate(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::constant:
    case Operation::variable: break;
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::power: return constant_power(a, b);
    case Operation::negate: return -a;
    case Operation::sin: return std::sin(a);
    case Operation::cos: return std::cos(a);
    case Operation::tan: return std::tan(a);
    case Operation::asin: return std::asin(a);
    case Operation::acos: return std::acos(a);
    case Operation::atan: return std::atan(a);
    case Operation::atan2: return std::atan2(a, b);
    case Operation::sinh: return std::sinh(a);
    case Operation::cosh: return std::cosh(a);
    case Operation::tanh: return std::tanh(a);
    case Operation::exp: return std::exp(a);
    case Operation::log: return std::log(a);
    case Operation::sqrt: return std::sqrt(a);
    case Operation::abs: return std::abs(a);
    case Operation::sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case Operation::min: return b < a ? b : a;
    case Operation::max: return a < b ? b : a;
    case Operation::sn: return jacobi_elliptic(a, b).sn;
    case Operation::cn: return jacobi_elliptic(a, b).cn;
    case Operation::dn: return jacobi_elliptic(a, b).dn;
    case Operation::ellint_k: return complete_elliptic_k(a);
    case Operation::kepler: return eccentric_anomaly(a, b);
    case Operation::less: return a < b ? 1 : 0;
    case Operation::less_equal: return a <= b ? 1 : 0;
    case Operation::select: return a != 0 ? b : c;
    case Operation::guarded_multiply: return a == 0 ? 0 : a * b;
    case Operation::multiply_add: return a * b + c;
    case Operation::multiply_subtract: return a * b - c;
    case Operation::subtract_multiply: return c - a * b;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace lilyan
