// Expressions from text.
//
//   0.5*m*l^2*theta'^2 + sum(i, 1, n - 1, k/2*(x[i+1] - x[i])^2) + if(x[1] < 0, c*x[1]^2, 0)
//
// + - * / ^ with the usual precedence: ^ binds from right to left and stronger than a sign, so that
// -x^2 = -(x^2). Multiplication is always written. Functions are those of named_functions();
// sum(i, a, b, f) and product(i, a, b, f) are written out when read, and so are indices, which must
// be whole numbers by then. A branch of an if that is never chosen is checked for syntax only, so
// that its indices may lie outside. The constant pi is known; e is free for a name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/lagrangian/expression_text.hpp"
#include "lilyan/lagrangian/graph.hpp"

namespace lilyan {

// The names that an expression's text may use.
class ExpressionScope {
 public:
  // Elements name[first], name[first + 1], …
  struct List {
    int first = 0;
    std::vector<ExpressionNode> nodes;
    [[nodiscard]] int last() const { return first + static_cast<int>(nodes.size()) - 1; }
  };

  // A name is letters, digits and _, not beginning with a digit, with primes after it for the
  // likes of theta' (a list x' is written x[1]'). Throws Error for another, for one that is taken
  // and for those that mean something already: functions, if, sum, product, pi.
  void set(const std::string& name, ExpressionNode node);
  void set_list(const std::string& name, int first_index, std::vector<ExpressionNode> nodes);

  [[nodiscard]] std::optional<ExpressionNode> find(std::string_view name) const;
  [[nodiscard]] const List* find_list(std::string_view name) const;  // null if there is none
  [[nodiscard]] bool has(std::string_view name) const { return find(name) || find_list(name); }
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  void check(const std::string& name) const;

  std::map<std::string, ExpressionNode, std::less<>> scalars_;
  std::map<std::string, List, std::less<>> lists_;
};

// Whether a name has a meaning in every expression: a function, if, sum, product or pi.
[[nodiscard]] bool is_reserved(std::string_view name);

// While it lives, all texts that this thread parses share one limit: a formula that is read once for each of
// many coordinates must not take hours. Each text has a limit of its own anyway.
class ExpressionBudget {
 public:
  ExpressionBudget();
  ~ExpressionBudget();
  ExpressionBudget(const ExpressionBudget&) = delete;
  ExpressionBudget& operator=(const ExpressionBudget&) = delete;

 private:
  long before_;
};

// Throws ExpressionError.
[[nodiscard]] ExpressionNode parse(ExpressionGraph& graph, std::string_view text,
                                   const ExpressionScope& scope);

}  // namespace lilyan
