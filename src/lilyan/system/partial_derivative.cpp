#include "lilyan/system/partial_derivative.hpp"

#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

[[noreturn]] void fail(Operation operation) {
  const std::string name(function_name(operation));
  throw Error("the derivative of " + name +
              "(…) by its parameter m is not available; m must not depend on the variables that "
              "derivatives are taken by");
}

struct Formulas {
  ExpressionGraph& g;
  ExpressionNode node, a, b;

  ExpressionNode number(double x) const { return g.constant(x); }
  ExpressionNode inverse(ExpressionNode x) const { return g.divide(number(1), x); }
  ExpressionNode square(ExpressionNode x) const { return g.multiply(x, x); }
  ExpressionNode one_minus_square(ExpressionNode x) const {
    return g.subtract(number(1), square(x));
  }
  ExpressionNode elliptic(Operation o) const { return g.apply(o, a, b); }

  // a^b. Guarded: b a^(b−1) is 0 for b = 0 also at a = 0, and a^b log a is 0 for b > 0.
  ExpressionNode power(int i) const {
    if (i == 1) return g.guarded_multiply(node, g.apply(Operation::log, a));
    return g.guarded_multiply(b, g.power(a, g.subtract(b, number(1))));
  }
  ExpressionNode atan2(int i) const {
    const ExpressionNode radius = g.add(square(a), square(b));
    return i == 0 ? g.divide(b, radius) : g.negate(g.divide(a, radius));
  }
  // E − e sin E = M:  E_M = 1/(1 − e cos E),  E_e = sin E E_M.
  ExpressionNode kepler(int i) const {
    const ExpressionNode cosine = g.apply(Operation::cos, node);
    const ExpressionNode by_mean = inverse(g.subtract(number(1), g.multiply(b, cosine)));
    return i == 0 ? by_mean : g.multiply(g.apply(Operation::sin, node), by_mean);
  }

  ExpressionNode binary(int i) const {
    switch (g.operation(node)) {
      case Operation::add: return number(1);
      case Operation::subtract: return number(i == 0 ? 1 : -1);
      case Operation::multiply:
      case Operation::guarded_multiply: return i == 0 ? b : a;
      case Operation::divide: return i == 0 ? inverse(b) : g.negate(g.multiply(node, inverse(b)));
      case Operation::power: return power(i);
      case Operation::atan2: return atan2(i);
      case Operation::kepler: return kepler(i);
      case Operation::less:
      case Operation::less_equal: return number(0);
      default: break;
    }
    if (i == 1) fail(g.operation(node));
    switch (g.operation(node)) {
      case Operation::sn: return g.multiply(elliptic(Operation::cn), elliptic(Operation::dn));
      case Operation::cn:
        return g.negate(g.multiply(elliptic(Operation::sn), elliptic(Operation::dn)));
      case Operation::dn:
        return g.negate(
            g.multiply(b, g.multiply(elliptic(Operation::sn), elliptic(Operation::cn))));
      default: break;
    }
    throw Error("no derivative of this operation");
  }

  ExpressionNode unary() const {
    switch (g.operation(node)) {
      case Operation::negate: return number(-1);
      case Operation::sin: return g.apply(Operation::cos, a);
      case Operation::cos: return g.negate(g.apply(Operation::sin, a));
      case Operation::tan: return g.add(number(1), square(node));
      case Operation::asin: return inverse(g.apply(Operation::sqrt, one_minus_square(a)));
      case Operation::acos: return g.negate(inverse(g.apply(Operation::sqrt, one_minus_square(a))));
      case Operation::atan: return inverse(g.add(number(1), square(a)));
      case Operation::sinh: return g.apply(Operation::cosh, a);
      case Operation::cosh: return g.apply(Operation::sinh, a);
      case Operation::tanh: return one_minus_square(node);
      case Operation::exp: return node;
      case Operation::log: return inverse(a);
      case Operation::sqrt: return g.divide(number(0.5), node);
      case Operation::abs: return g.apply(Operation::sign, a);
      case Operation::sign: return number(0);
      case Operation::ellint_k: fail(Operation::ellint_k);
      default: break;
    }
    throw Error("no derivative of this operation");
  }
};

}  // namespace

ExpressionNode partial_derivative(ExpressionGraph& graph, ExpressionNode n, int i) {
  const ExpressionArguments arguments = graph.arguments(n);
  if (arguments.size() == 1) return Formulas{graph, n, arguments[0], arguments[0]}.unary();
  return Formulas{graph, n, arguments[0], arguments[1]}.binary(i);
}

}  // namespace lilyan
