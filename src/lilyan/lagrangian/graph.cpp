#include "lilyan/lagrangian/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

constexpr int kLargestProduct = 16;   // a larger power is left to pow
constexpr std::size_t kShortSum = 8;  // terms taken from left to right

bool power_of_two(double x) {
  int exponent = 0;
  return std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5;
}

bool commutes(Operation o) { return o == Operation::add || o == Operation::multiply; }

}  // namespace

std::uint64_t ExpressionGraph::hash(const Node& node) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(node.value);
  const auto mix = [&h](std::uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15U;
    h ^= h >> 29;
  };
  mix(static_cast<std::uint64_t>(node.operation));
  for (const int a : node.arguments) mix(static_cast<std::uint32_t>(a));
  return h;
}

// By bits: 0 and −0 differ, and a NaN equals itself.
bool ExpressionGraph::same(const Node& a, const Node& b) {
  return std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
         a.operation == b.operation && a.arguments == b.arguments;
}

void ExpressionGraph::grow_table() {
  table_.assign(std::max<std::size_t>(64, 2 * table_.size()), -1);
  const std::size_t mask = table_.size() - 1;
  for (int n = 0; n < size(); ++n) {
    std::size_t slot = hash(nodes_[n]) & mask;
    while (table_[slot] >= 0) slot = (slot + 1) & mask;
    table_[slot] = n;
  }
}

ExpressionNode ExpressionGraph::intern(const Node& node) {
  if (2 * nodes_.size() >= table_.size()) grow_table();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(node) & mask;
  for (; table_[slot] >= 0; slot = (slot + 1) & mask) {
    if (same(nodes_[table_[slot]], node)) return table_[slot];
  }
  table_[slot] = size();
  nodes_.push_back(node);
  return table_[slot];
}

ExpressionNode ExpressionGraph::constant(double value) {
  return intern({value, Operation::constant, {kNone, kNone, kNone}});
}

ExpressionNode ExpressionGraph::variable(int index) {
  if (index < 0) throw Error("the index of an expression's variable must not be negative");
  return intern({0, Operation::variable, {index, kNone, kNone}});
}

ExpressionArguments ExpressionGraph::arguments(ExpressionNode n) const {
  return {at(n).arguments, argument_count(operation(n))};
}

std::optional<double> ExpressionGraph::constant_value(ExpressionNode n) const {
  if (operation(n) != Operation::constant) return std::nullopt;
  return at(n).value;
}

bool ExpressionGraph::is_constant(ExpressionNode n, double value) const {
  return operation(n) == Operation::constant && at(n).value == value;
}

int ExpressionGraph::variable_index(ExpressionNode n) const {
  return operation(n) == Operation::variable ? at(n).arguments[0] : -1;
}

// The largest number first: all that use a node have been met before it, so that its copies in the
// queue come one after another.
std::vector<ExpressionNode> ExpressionGraph::reachable(
    std::span<const ExpressionNode> roots) const {
  std::priority_queue<ExpressionNode> queue(roots.begin(), roots.end());
  std::vector<ExpressionNode> found;
  while (!queue.empty()) {
    const ExpressionNode n = queue.top();
    queue.pop();
    if (!found.empty() && found.back() == n) continue;
    found.push_back(n);
    for (const ExpressionNode a : arguments(n)) queue.push(a);
  }
  return {found.rbegin(), found.rend()};
}

std::set<int> ExpressionGraph::variables(ExpressionNode n) const {
  std::set<int> result;
  for (const ExpressionNode m : reachable({&n, 1})) {
    if (variable_index(m) >= 0) result.insert(variable_index(m));
  }
  return result;
}

bool ExpressionGraph::depends(ExpressionNode n, int variable) const {
  return variables(n).contains(variable);
}

// The builders, which simplify as they go.

ExpressionNode ExpressionGraph::make(Operation operation, ExpressionNode a, ExpressionNode b,
                                     ExpressionNode c) {
  std::array<double, 3> values{};
  const std::array<ExpressionNode, 3> given{a, b, c};
  const int count = argument_count(operation);
  bool constant_arguments = true;
  for (int i = 0; i < count; ++i) {
    const auto value = constant_value(given[i]);
    constant_arguments = constant_arguments && value;
    values[i] = value.value_or(0);
  }
  if (constant_arguments) return constant(evaluate(operation, values[0], values[1], values[2]));
  if (commutes(operation) && b < a) std::swap(a, b);
  return intern({0, operation, {a, count > 1 ? b : kNone, count > 2 ? c : kNone}});
}

ExpressionNode ExpressionGraph::add(ExpressionNode a, ExpressionNode b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (a == b) return multiply(constant(2), a);
  if (operation(b) == Operation::negate) return subtract(a, arguments(b)[0]);
  if (operation(a) == Operation::negate) return subtract(b, arguments(a)[0]);
  return make(Operation::add, a, b);
}

ExpressionNode ExpressionGraph::subtract(ExpressionNode a, ExpressionNode b) {
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (a == b && !constant_value(a)) return constant(0);
  if (operation(b) == Operation::negate) return add(a, arguments(b)[0]);
  return make(Operation::subtract, a, b);
}

ExpressionNode ExpressionGraph::negate(ExpressionNode a) {
  if (operation(a) == Operation::negate) return arguments(a)[0];
  if (operation(a) == Operation::subtract) return subtract(arguments(a)[1], arguments(a)[0]);
  if (operation(a) == Operation::multiply) {
    const ExpressionNode first = arguments(a)[0];
    const ExpressionNode second = arguments(a)[1];
    if (const auto factor = constant_value(first)) return multiply(constant(-*factor), second);
    if (const auto factor = constant_value(second)) return multiply(first, constant(-*factor));
  }
  return make(Operation::negate, a);
}

// factor·(c·x) = (factor·c)·x where that is exact.
std::optional<ExpressionNode> ExpressionGraph::scaled(double factor, ExpressionNode n) {
  if (factor == 0) return constant(0);
  if (factor == 1) return n;
  if (factor == -1) return negate(n);
  if (operation(n) != Operation::multiply) return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    const auto inner = constant_value(arguments(n)[i]);
    if (!inner || !(power_of_two(factor) || power_of_two(*inner))) continue;
    if (!std::isnormal(factor * *inner)) continue;
    const ExpressionNode other = arguments(n)[1 - i];
    return multiply(constant(factor * *inner), other);
  }
  return std::nullopt;
}

ExpressionNode ExpressionGraph::multiply(ExpressionNode a, ExpressionNode b) {
  if (constant_value(b)) std::swap(a, b);
  if (const auto factor = constant_value(a); factor && !constant_value(b)) {
    if (const auto simple = scaled(*factor, b)) return *simple;
    if (operation(b) == Operation::negate) return multiply(constant(-*factor), arguments(b)[0]);
  }
  if (operation(a) == Operation::negate) return negate(multiply(arguments(a)[0], b));
  if (operation(b) == Operation::negate) return negate(multiply(a, arguments(b)[0]));
  return make(Operation::multiply, a, b);
}

ExpressionNode ExpressionGraph::divide(ExpressionNode a, ExpressionNode b) {
  if (is_constant(a, 0) && !constant_value(b)) return a;
  if (const auto divisor = constant_value(b); divisor && power_of_two(*divisor)) {
    if (std::isfinite(1 / *divisor)) return multiply(a, constant(1 / *divisor));
  }
  if (operation(a) == Operation::negate) return negate(divide(arguments(a)[0], b));
  if (operation(b) == Operation::negate) return negate(divide(a, arguments(b)[0]));
  return make(Operation::divide, a, b);
}

// By squaring; right for negative bases, and so are its derivatives at 0.
ExpressionNode ExpressionGraph::whole_power(ExpressionNode base, int exponent) {
  if (exponent < 0) return divide(constant(1), whole_power(base, -exponent));
  ExpressionNode result = constant(1);
  for (ExpressionNode square = base; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = multiply(result, square);
    if (exponent > 1) square = multiply(square, square);
  }
  return result;
}

ExpressionNode ExpressionGraph::power(ExpressionNode base, ExpressionNode exponent) {
  const auto p = constant_value(exponent);
  if (!p || constant_value(base)) return make(Operation::power, base, exponent);
  if (*p == 0.5) return apply(Operation::sqrt, base);
  if (*p == -0.5) return divide(constant(1), apply(Operation::sqrt, base));
  if (*p == std::floor(*p) && std::abs(*p) <= kLargestProduct) {
    return whole_power(base, static_cast<int>(*p));
  }
  return make(Operation::power, base, exponent);
}

ExpressionNode ExpressionGraph::select(ExpressionNode condition, ExpressionNode a,
                                       ExpressionNode b) {
  if (a == b) return a;
  if (const auto holds = constant_value(condition)) return *holds != 0 ? a : b;
  return make(Operation::select, condition, a, b);
}

ExpressionNode ExpressionGraph::guarded_multiply(ExpressionNode a, ExpressionNode b) {
  const auto value = constant_value(a);
  if (value && *value == 0) return a;
  const auto other = constant_value(b);
  if (value || (other && std::isfinite(*other))) return multiply(a, b);
  return make(Operation::guarded_multiply, a, b);
}

ExpressionNode ExpressionGraph::apply(Operation operation, ExpressionNode a, ExpressionNode b,
                                      ExpressionNode c) {
  switch (operation) {
    case Operation::add: return add(a, b);
    case Operation::subtract: return subtract(a, b);
    case Operation::multiply: return multiply(a, b);
    case Operation::divide: return divide(a, b);
    case Operation::power: return power(a, b);
    case Operation::negate: return negate(a);
    case Operation::select: return select(a, b, c);
    case Operation::guarded_multiply: return guarded_multiply(a, b);
    default: return make(operation, a, b, c);
  }
}

ExpressionNode ExpressionGraph::combine(Operation operation,
                                        std::span<const ExpressionNode> nodes) {
  if (nodes.size() > kShortSum) {
    const std::size_t half = nodes.size() / 2;
    const ExpressionNode first = combine(operation, nodes.first(half));
    return apply(operation, first, combine(operation, nodes.subspan(half)));
  }
  ExpressionNode result = nodes[0];
  for (const ExpressionNode n : nodes.subspan(1)) result = apply(operation, result, n);
  return result;
}

ExpressionNode ExpressionGraph::sum(std::span<const ExpressionNode> terms) {
  return terms.empty() ? constant(0) : combine(Operation::add, terms);
}

ExpressionNode ExpressionGraph::product(std::span<const ExpressionNode> factors) {
  return factors.empty() ? constant(1) : combine(Operation::multiply, factors);
}

}  // namespace lilyan
