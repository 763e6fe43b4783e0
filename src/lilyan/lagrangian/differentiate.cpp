#include "lilyan/lagrangian/differentiate.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <string>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

[[noreturn]] void fail_by_parameter(Operation operation) {
  const std::string name(function_name(operation));
  throw Error("the derivative of " + name +
              "(…) by its parameter m is not available; m must not depend on the variables that "
              "derivatives are taken by");
}

// The derivatives of a node by its arguments a and b.
struct PartialDerivatives {
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
    if (i == 1) fail_by_parameter(g.operation(node));
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
      case Operation::ellint_k: fail_by_parameter(Operation::ellint_k);
      default: break;
    }
    throw Error("no derivative of this operation");
  }
};

// By argument number i alone, all others held. Not for operations that choose a branch.
ExpressionNode partial_derivative(ExpressionGraph& graph, ExpressionNode n, int i) {
  const ExpressionArguments arguments = graph.arguments(n);
  if (arguments.size() == 1)
    return PartialDerivatives{graph, n, arguments[0], arguments[0]}.unary();
  return PartialDerivatives{graph, n, arguments[0], arguments[1]}.binary(i);
}

// if, min and max: where the condition holds they are argument `yes`, elsewhere argument `no`.
struct Branch {
  ExpressionNode condition;
  int yes, no;
};

std::optional<Branch> branch(ExpressionGraph& g, ExpressionNode n) {
  const Operation operation = g.operation(n);
  const ExpressionArguments a = g.arguments(n);
  if (operation == Operation::select) return Branch{a[0], 1, 2};
  if (operation == Operation::min) return Branch{g.apply(Operation::less, a[1], a[0]), 1, 0};
  if (operation == Operation::max) return Branch{g.apply(Operation::less, a[0], a[1]), 1, 0};
  return std::nullopt;
}

// The nodes that some functions are made of; positions in this list stand for them.
class Section {
 public:
  Section(const ExpressionGraph& graph, std::span<const ExpressionNode> roots)
      : nodes_(graph.reachable(roots)) {}
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] ExpressionNode operator[](int position) const { return nodes_[position]; }
  [[nodiscard]] int position(ExpressionNode n) const {
    return static_cast<int>(std::ranges::lower_bound(nodes_, n) - nodes_.begin());
  }

 private:
  std::vector<ExpressionNode> nodes_;
};

std::vector<char> depending(const ExpressionGraph& g, const Section& section,
                            std::span<const int> variables) {
  std::vector<int> wanted(variables.begin(), variables.end());
  std::ranges::sort(wanted);
  std::vector<char> active(section.size(), 0);
  for (int k = 0; k < section.size(); ++k) {
    const int variable = g.variable_index(section[k]);
    active[k] = variable >= 0 && std::ranges::binary_search(wanted, variable);
    for (const ExpressionNode a : g.arguments(section[k])) {
      active[k] = active[k] || active[section.position(a)];
    }
  }
  return active;
}

// From f back to its variables: adjoints, the derivatives of f by its nodes.
class ReversePass {
 public:
  ReversePass(ExpressionGraph& graph, ExpressionNode f, std::span<const int> variables)
      : g_(graph),
        section_(graph, {&f, 1}),
        active_(depending(graph, section_, variables)),
        parts_(section_.size()),
        guarded_(section_.size(), 0),
        adjoints_(section_.size(), graph.constant(0)) {
    parts_.back().push_back(graph.constant(1));
    for (int k = section_.size() - 1; k >= 0; --k) {
      if (active_[k]) distribute(k);
    }
  }

  [[nodiscard]] ExpressionNode by_variable(int index) const {
    const ExpressionNode variable = g_.variable(index);
    const int k = section_.position(variable);
    const bool met = k < section_.size() && section_[k] == variable;
    return met ? adjoints_[k] : g_.constant(0);
  }

 private:
  void distribute(int k) {
    adjoints_[k] = g_.sum(parts_[k]);
    parts_[k] = {};
    const ExpressionNode n = section_[k];
    const std::optional<Branch> choice = branch(g_, n);
    const ExpressionArguments arguments = g_.arguments(n);
    for (int i = 0; i < arguments.size(); ++i) {
      const int to = section_.position(arguments[i]);
      if (!active_[to]) continue;
      const ExpressionNode part = choice ? chosen(*choice, k, i) : chained(k, i);
      if (g_.is_constant(part, 0)) continue;
      parts_[to].push_back(part);
      // Below a branch that may not be the chosen one.
      const bool guards = choice || g_.operation(n) == Operation::guarded_multiply;
      guarded_[to] = guarded_[to] || guarded_[k] || guards;
    }
  }
  ExpressionNode chosen(const Branch& choice, int k, int i) {
    ExpressionNode result = g_.constant(0);
    if (i == choice.yes) result = g_.select(choice.condition, adjoints_[k], result);
    if (i == choice.no) result = g_.select(choice.condition, result, adjoints_[k]);
    return result;
  }
  ExpressionNode chained(int k, int i) {
    const ExpressionNode partial = partial_derivative(g_, section_[k], i);
    return guarded_[k] ? g_.guarded_multiply(adjoints_[k], partial)
                       : g_.multiply(adjoints_[k], partial);
  }

  ExpressionGraph& g_;
  Section section_;
  std::vector<char> active_;
  std::vector<std::vector<ExpressionNode>> parts_;  // of adjoints still to be summed
  std::vector<char> guarded_;
  std::vector<ExpressionNode> adjoints_;
};

// From one variable on to the functions that depend on it, and to nothing else.
class ForwardPass {
 public:
  ForwardPass(ExpressionGraph& graph, std::span<const ExpressionNode> functions)
      : g_(graph),
        functions_(functions.begin(), functions.end()),
        section_(graph, functions),
        users_(section_.size()),
        tangents_(section_.size(), kNone) {
    for (int k = 0; k < section_.size(); ++k) {
      for (const ExpressionNode a : g_.arguments(section_[k])) {
        users_[section_.position(a)].push_back(k);
      }
    }
    rows_.resize(section_.size());
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      rows_[section_.position(functions_[i])].push_back(static_cast<int>(i));
    }
  }

  // The derivatives of the functions number first_row and above.
  void add_column(int variable, int column, int first_row, std::vector<DerivativeEntry>& entries) {
    const ExpressionNode node = g_.variable(variable);
    const int start = section_.position(node);
    if (start == section_.size() || section_[start] != node) return;
    const std::size_t before = entries.size();
    std::priority_queue<int, std::vector<int>, std::greater<>> queue;
    queue.push(start);
    std::vector<int> visited;
    while (!queue.empty()) {
      const int k = queue.top();
      queue.pop();
      if (!visited.empty() && visited.back() == k) continue;
      visited.push_back(k);
      tangents_[k] = k == start ? g_.constant(1) : tangent(section_[k]);
      if (g_.is_constant(tangents_[k], 0)) continue;
      for (const int row : rows_[k]) {
        if (row >= first_row) entries.push_back({row, column, tangents_[k]});
      }
      for (const int user : users_[k]) queue.push(user);
    }
    for (const int k : visited) tangents_[k] = kNone;
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(before), entries.end(),
              [](const auto& a, const auto& b) { return a.row < b.row; });
  }

 private:
  static constexpr ExpressionNode kNone = -1;

  ExpressionNode tangent_of(ExpressionNode argument) {
    const ExpressionNode t = tangents_[section_.position(argument)];
    return t == kNone ? g_.constant(0) : t;
  }
  ExpressionNode tangent(ExpressionNode n) {
    const ExpressionArguments arguments = g_.arguments(n);
    if (const auto choice = branch(g_, n)) {
      return g_.select(choice->condition, tangent_of(arguments[choice->yes]),
                       tangent_of(arguments[choice->no]));
    }
    const bool guarded = g_.operation(n) == Operation::guarded_multiply;
    ExpressionNode result = g_.constant(0);
    for (int i = 0; i < arguments.size(); ++i) {
      const ExpressionNode t = tangent_of(arguments[i]);
      if (g_.is_constant(t, 0)) continue;
      const ExpressionNode partial = partial_derivative(g_, n, i);
      // Its first argument is what guards: the argument itself, or the tangent of it.
      const ExpressionNode part = !guarded ? g_.multiply(partial, t)
                                  : i == 0 ? g_.guarded_multiply(t, partial)
                                           : g_.guarded_multiply(partial, t);
      result = g_.add(result, part);
    }
    return result;
  }

  ExpressionGraph& g_;
  std::vector<ExpressionNode> functions_;
  Section section_;
  std::vector<std::vector<int>> users_;
  std::vector<std::vector<int>> rows_;  // of the functions that a node is
  std::vector<ExpressionNode> tangents_;
};

}  // namespace

std::vector<ExpressionNode> gradient(ExpressionGraph& graph, ExpressionNode f,
                                     std::span<const int> variables) {
  const ReversePass pass(graph, f, variables);
  std::vector<ExpressionNode> result;
  result.reserve(variables.size());
  for (const int v : variables) result.push_back(pass.by_variable(v));
  return result;
}

ExpressionNode derivative(ExpressionGraph& graph, ExpressionNode f, int variable) {
  const auto entries = jacobian(graph, {&f, 1}, {&variable, 1});
  return entries.empty() ? graph.constant(0) : entries[0].node;
}

std::vector<DerivativeEntry> jacobian(ExpressionGraph& graph,
                                      std::span<const ExpressionNode> functions,
                                      std::span<const int> variables) {
  ForwardPass pass(graph, functions);
  std::vector<DerivativeEntry> entries;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    pass.add_column(variables[j], static_cast<int>(j), 0, entries);
  }
  return entries;
}

std::vector<DerivativeEntry> hessian(ExpressionGraph& graph, ExpressionNode f,
                                     std::span<const int> variables) {
  ForwardPass pass(graph, gradient(graph, f, variables));
  std::vector<DerivativeEntry> entries;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const int column = static_cast<int>(j);
    pass.add_column(variables[j], column, column, entries);
  }
  return entries;
}

}  // namespace lilyan
