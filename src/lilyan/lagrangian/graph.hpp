// Mathematical expressions as nodes of one shared graph.
//
//   ExpressionGraph g;
//   const ExpressionNode x = g.variable(0);
//   const ExpressionNode f = g.multiply(x, g.apply(Operation::sin, x));
//   gradient(g, f, std::vector{0})  differentiate.hpp
//   parse(g, "x*sin(x)", scope)     parse.hpp
//   Program(g, std::vector{f})      program.hpp: fast evaluation
//
// Equal nodes are one node, and a node comes after its arguments, so that loops over node numbers
// replace recursion: the length of a sum is not limited by the stack.
//
// Builders simplify: constants are folded, 0 and 1 vanish, small whole powers become products.
// Values stay the same up to rounding in the powers, except where an operand is infinite or not a
// number: 0·x, 0/x and x − x are 0 without a look at x.
//
// No library is used for this: muParser does not differentiate, and GiNaC and libmatheval are under
// the GPL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "lilyan/lagrangian/operation.hpp"

namespace lilyan {

using ExpressionNode = int;

class ExpressionArguments {
 public:
  ExpressionArguments(const std::array<ExpressionNode, 3>& nodes, int count)
      : nodes_(nodes), count_(count) {}
  [[nodiscard]] ExpressionNode operator[](int i) const { return nodes_[i]; }
  [[nodiscard]] int size() const { return count_; }
  [[nodiscard]] const ExpressionNode* begin() const { return nodes_.data(); }
  [[nodiscard]] const ExpressionNode* end() const { return nodes_.data() + count_; }

 private:
  std::array<ExpressionNode, 3> nodes_;
  int count_;
};

class ExpressionGraph {
 public:
  ExpressionNode constant(double value);
  ExpressionNode variable(int index);

  ExpressionNode add(ExpressionNode a, ExpressionNode b);
  ExpressionNode subtract(ExpressionNode a, ExpressionNode b);
  ExpressionNode multiply(ExpressionNode a, ExpressionNode b);
  ExpressionNode divide(ExpressionNode a, ExpressionNode b);
  ExpressionNode power(ExpressionNode base, ExpressionNode exponent);
  ExpressionNode negate(ExpressionNode a);
  ExpressionNode select(ExpressionNode condition, ExpressionNode a, ExpressionNode b);
  ExpressionNode guarded_multiply(ExpressionNode a, ExpressionNode b);
  // Any operation with arguments; goes to the builder above where there is one.
  ExpressionNode apply(Operation operation, ExpressionNode a, ExpressionNode b = kNone,
                       ExpressionNode c = kNone);

  // From left to right when short, otherwise by halves: rounding then grows with the logarithm of
  // the length.
  ExpressionNode sum(std::span<const ExpressionNode> terms);
  ExpressionNode product(std::span<const ExpressionNode> factors);

  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] Operation operation(ExpressionNode n) const { return at(n).operation; }
  // A copy, as builders move the nodes. All are smaller numbers than n.
  [[nodiscard]] ExpressionArguments arguments(ExpressionNode n) const;
  [[nodiscard]] std::optional<double> constant_value(ExpressionNode n) const;
  [[nodiscard]] bool is_constant(ExpressionNode n, double value) const;
  // The index of a variable; −1 for other nodes.
  [[nodiscard]] int variable_index(ExpressionNode n) const;

  // The nodes that `roots` are made of, themselves included, in ascending order.
  [[nodiscard]] std::vector<ExpressionNode> reachable(std::span<const ExpressionNode> roots) const;
  [[nodiscard]] std::set<int> variables(ExpressionNode n) const;
  [[nodiscard]] bool depends(ExpressionNode n, int variable) const;

 private:
  static constexpr ExpressionNode kNone = -1;
  struct Node {
    double value = 0;  // of a constant
    Operation operation = Operation::constant;
    std::array<int, 3> arguments{kNone, kNone, kNone};  // the first: index of a variable
  };

  [[nodiscard]] const Node& at(ExpressionNode n) const { return nodes_[n]; }
  [[nodiscard]] static std::uint64_t hash(const Node& node);
  [[nodiscard]] static bool same(const Node& a, const Node& b);
  ExpressionNode intern(const Node& node);
  ExpressionNode make(Operation operation, ExpressionNode a, ExpressionNode b = kNone,
                      ExpressionNode c = kNone);
  void grow_table();
  std::optional<ExpressionNode> scaled(double factor, ExpressionNode n);
  ExpressionNode whole_power(ExpressionNode base, int exponent);
  ExpressionNode combine(Operation operation, std::span<const ExpressionNode> nodes);

  std::vector<Node> nodes_;
  std::vector<int> table_;  // open addressing: node numbers, −1 where free
};

}  // namespace lilyan
