#include "lilyan/system/graph.hpp"

#include <algorithm>
#include <bit>
#include <queue>

#include "lilyan/core/error.hpp"

namespace lilyan {

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

}  // namespace lilyan
