#include "lilyan/system/parse.hpp"

#include <cmath>
#include <numbers>

#include "lilyan/core/parameter.hpp"
#include "lilyan/system/complaint.hpp"
#include "lilyan/system/parser.hpp"

namespace lilyan {
namespace {

constexpr int kDeepest = 200;           // levels of parentheses and powers
constexpr int kMostNodes = 2'000'000;   // that one text may add to the graph
constexpr int kMostValues = 5'000'000;  // read, again for each term of a sum
constexpr double kLargestIndex = 1e9;

std::string bounds(const ExpressionScope::List& list) {
  if (list.nodes.empty()) return "as the list is empty";
  return "from " + std::to_string(list.first) + " to " + std::to_string(list.last());
}

}  // namespace

ExpressionNode parse(ExpressionGraph& graph, std::string_view text, const ExpressionScope& scope) {
  return ExpressionParser(graph, text, scope).whole();
}

void ExpressionParser::fail(std::size_t position, const std::string& complaint) {
  throw ExpressionError(position, complaint);
}

void ExpressionParser::fail_after_value(std::string_view expected) const {
  fail(now().position, complaint_after_value(tokens_[at_ - 1], now(), expected));
}

bool ExpressionParser::take(std::string_view sign) {
  if (!now().is(sign)) return false;
  ++at_;
  return true;
}

void ExpressionParser::expect(std::string_view sign) {
  if (!take(sign)) fail_after_value("'" + std::string(sign) + "'");
}

ExpressionNode ExpressionParser::whole() {
  if (now().kind == TokenKind::end) fail(0, "the expression is empty");
  const ExpressionNode result = expression();
  if (now().kind != TokenKind::end) fail_after_value("");
  return result;
}

ExpressionNode ExpressionParser::expression() {
  std::vector<ExpressionNode> terms{term()};
  while (now().is("+") || now().is("-")) {
    const bool plus = now().is("+");
    ++at_;
    const ExpressionNode next = term();
    terms.push_back(plus ? next : g_.negate(next));
  }
  return g_.sum(terms);
}

ExpressionNode ExpressionParser::term() {
  ExpressionNode result = signed_power();
  while (now().is("*") || now().is("/")) {
    const bool times = now().is("*");
    ++at_;
    const ExpressionNode next = signed_power();
    result = times ? g_.multiply(result, next) : g_.divide(result, next);
  }
  return result;
}

// Everything nested comes through here.
ExpressionNode ExpressionParser::signed_power() {
  if (++depth_ > kDeepest) {
    fail(now().position,
         "more than " + std::to_string(kDeepest) + " levels of parentheses and powers");
  }
  bool negative = false;
  for (; now().is("-") || now().is("+"); ++at_) negative ^= now().is("-");
  ExpressionNode result = value();
  if (take("^")) result = g_.power(result, signed_power());
  --depth_;
  return negative ? g_.negate(result) : result;
}

ExpressionNode ExpressionParser::value() {
  check_size();
  const Token& token = now();
  if (token.kind == TokenKind::number) {
    ++at_;
    return g_.constant(token.value);
  }
  if (token.kind == TokenKind::name) {
    ++at_;
    return now().is("(") ? call(token) : named(token);
  }
  if (!take("(")) fail(token.position, complaint_before_value(token));
  const ExpressionNode result = expression();
  expect(")");
  return result;
}

void ExpressionParser::check_size() {
  if (++values_ <= kMostValues && g_.size() - size_before_ <= kMostNodes) return;
  fail(outermost_sum_ != nullptr ? outermost_sum_->position : now().position,
       "written out, the expression is too large: more than " + std::to_string(kMostNodes) +
           " operations");
}

void ExpressionParser::take_primes(std::string& name) {
  while (take("'")) name += '\'';
}

ExpressionNode ExpressionParser::named(const Token& token) {
  for (const auto& [name, value] : indices_) {
    if (name == token.text && !now().is("'") && !now().is("[")) return g_.constant(value);
  }
  std::string name(token.text);
  take_primes(name);
  if (!take("[")) return scalar(name, token);
  const std::size_t position = now().position;
  const double index = whole_number("an index");
  expect("]");
  take_primes(name);
  return element(name, token, index, position);
}

ExpressionNode ExpressionParser::scalar(const std::string& name, const Token& token) {
  if (const auto node = scope_.find(name)) return *node;
  if (name == "pi") return g_.constant(std::numbers::pi);
  if (const auto* list = scope_.find_list(name)) {
    fail(token.position, "'" + name + "' is a list and needs an index, " + bounds(*list));
  }
  if (is_reserved(name)) {
    fail(token.position, "'" + name + "' is a function and needs arguments: " + name + "(...)");
  }
  fail_unknown(name, token);
}

ExpressionNode ExpressionParser::element(const std::string& name, const Token& token, double index,
                                         std::size_t position) {
  const auto* list = scope_.find_list(name);
  if (list == nullptr) {
    if (!scope_.find(name)) fail_unknown(name, token);
    fail(token.position, "'" + name + "' is a single value and has no index");
  }
  if (unused_ > 0) return g_.constant(0);
  if (index < list->first || index > list->last()) {
    fail(position, "index " + std::to_string(static_cast<long>(index)) + " of '" + name +
                       "' is out of bounds, " + bounds(*list));
  }
  return list->nodes[static_cast<std::size_t>(index - list->first)];
}

void ExpressionParser::fail_unknown(const std::string& name, const Token& token) const {
  std::vector<std::string> known = scope_.names();
  for (const auto& [index, value] : indices_) known.emplace_back(index);
  known.emplace_back("pi");
  fail(token.position, "unknown name '" + name + "'" + suggestion(name, known));
}

double ExpressionParser::whole_number(std::string_view what) {
  const std::size_t position = now().position;
  const ExpressionNode node = expression();
  if (unused_ > 0) return 0;
  const auto value = g_.constant_value(node);
  if (!value) fail(position, std::string(what) + " must be a constant");
  if (*value != std::floor(*value) || !(std::abs(*value) <= kLargestIndex)) {
    fail(position, std::string(what) + " must be a whole number");
  }
  return *value;
}

}  // namespace lilyan
