// Recursive descent over tokens:
//
//   expression   = term {("+" | "-") term}
//   term         = signed_power {("*" | "/") signed_power}
//   signed_power = {"+" | "-"} value ["^" signed_power]
//   value        = number | "(" expression ")" | call
//                | name {"'"} ["[" expression "]" {"'"}]
#include "lilyan/lagrangian/parse.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/base/parameter.hpp"

namespace lilyan {
namespace {

constexpr int kDeepest = 200;           // levels of parentheses and powers
constexpr int kMostNodes = 2'000'000;   // that one text may add to the graph
constexpr int kMostValues = 5'000'000;  // read, again for each term of a sum
constexpr long kBudget = 10'000'000;    // values of all texts that share a limit
constexpr double kLargestIndex = 1e9;
constexpr double kMostTerms = 1'000'000;  // of a sum or product

std::string bounds(const ExpressionScope::List& list) {
  if (list.nodes.empty()) return "as the list is empty";
  return "from " + std::to_string(list.first) + " to " + std::to_string(list.last());
}

class ExpressionParser {
 public:
  ExpressionParser(ExpressionGraph& graph, std::string_view text, const ExpressionScope& scope)
      : g_(graph), scope_(scope), tokens_(tokens(text)), size_before_(graph.size()) {}

  ExpressionNode whole();

 private:
  // A call whose arguments are read one by one.
  struct Call {
    const Token& name;
    std::string_view form;
  };

  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  bool take(std::string_view sign);
  void expect(std::string_view sign);
  [[noreturn]] static void fail(std::size_t position, const std::string& message);
  [[noreturn]] void fail_after_value(std::string_view expected) const;

  ExpressionNode expression();
  ExpressionNode term();
  ExpressionNode signed_power();
  ExpressionNode value();
  void check_size();

  ExpressionNode named(const Token& token);
  ExpressionNode scalar(const std::string& name, const Token& token);
  ExpressionNode element(const std::string& name, const Token& token, double index,
                         std::size_t position);
  void take_primes(std::string& name);
  double whole_number(std::string_view what);
  [[noreturn]] void fail_unknown(const std::string& name, const Token& token) const;

  ExpressionNode call(const Token& name);
  ExpressionNode function(const Token& name, Operation operation);
  ExpressionNode conditional(const Call& call);
  ExpressionNode condition();
  ExpressionNode repeated(const Call& call, bool multiply);
  std::string_view new_index();
  ExpressionNode expression_if(bool used);
  void next_argument(const Call& call);
  void close(const Call& call);
  [[noreturn]] static void fail_form(const Call& call);
  [[noreturn]] void fail_no_function(const Token& name) const;

  ExpressionGraph& g_;
  const ExpressionScope& scope_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int size_before_;
  int depth_ = 0;
  long values_ = 0;
  // Above 0 while reading what will not be used: a branch never chosen, a term repeated no times.
  // Its values mean nothing, so that indices are not looked at.
  int unused_ = 0;
  std::vector<std::pair<std::string_view, double>> indices_;  // of the sums and products around
  const Token* outermost_sum_ = nullptr;
};

thread_local long values_left = -1;  // below 0: without a limit

void ExpressionParser::fail(std::size_t position, const std::string& message) {
  throw ExpressionError(position, message);
}

void ExpressionParser::fail_after_value(std::string_view expected) const {
  fail(now().position, message_after_value(tokens_[at_ - 1], now(), expected));
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
  if (!take("(")) fail(token.position, message_before_value(token));
  const ExpressionNode result = expression();
  expect(")");
  return result;
}

void ExpressionParser::check_size() {
  if (values_left >= 0 && --values_left < 0) {
    values_left = 0;
    fail(outermost_sum_ != nullptr ? outermost_sum_->position : now().position,
         "written out, the expressions are too large in all: more than " + std::to_string(kBudget) +
             " values");
  }
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

// Functions, if, sum and product.

ExpressionNode ExpressionParser::call(const Token& name) {
  ++at_;
  if (name.text == "if") return conditional({name, "if(condition, a, b)"});
  if (name.text == "sum") return repeated({name, "sum(index, first, last, term)"}, false);
  if (name.text == "product") return repeated({name, "product(index, first, last, factor)"}, true);
  for (const NamedFunction& f : named_functions()) {
    if (f.name == name.text) return function(name, f.operation);
  }
  fail_no_function(name);
}

void ExpressionParser::fail_no_function(const Token& name) const {
  const std::string word(name.text);
  if (scope_.has(word) || word == "pi") {
    fail(name.position,
         "'" + word + "' is not a function; a product must be written with *: " + word + "*(...)");
  }
  std::vector<std::string> known{"if", "sum", "product"};
  for (const NamedFunction& f : named_functions()) known.emplace_back(f.name);
  fail(name.position, "unknown function '" + word + "'" + suggestion(word, known));
}

ExpressionNode ExpressionParser::function(const Token& name, Operation operation) {
  std::vector<ExpressionNode> given;
  if (!now().is(")")) given.push_back(expression());
  while (take(",")) given.push_back(expression());
  expect(")");
  const int count = argument_count(operation);
  if (static_cast<int>(given.size()) != count) {
    fail(name.position, std::string(name.text) + " takes " + std::to_string(count) +
                            (count == 1 ? " argument, " : " arguments, ") +
                            std::to_string(given.size()) + " given");
  }
  return count == 1 ? g_.apply(operation, given[0]) : g_.apply(operation, given[0], given[1]);
}

void ExpressionParser::next_argument(const Call& call) {
  if (now().is(")")) fail_form(call);
  expect(",");
}

void ExpressionParser::close(const Call& call) {
  if (now().is(",")) fail_form(call);
  expect(")");
}

void ExpressionParser::fail_form(const Call& call) {
  fail(call.name.position, "wrong number of arguments; expected " + std::string(call.form));
}

ExpressionNode ExpressionParser::expression_if(bool used) {
  unused_ += used ? 0 : 1;
  const ExpressionNode result = expression();
  unused_ -= used ? 0 : 1;
  return result;
}

ExpressionNode ExpressionParser::condition() {
  const ExpressionNode left = expression();
  const Token& sign = now();
  const bool less = sign.is("<") || sign.is("<=");
  if (!less && !sign.is(">") && !sign.is(">=")) fail_after_value("a comparison: <, <=, > or >=");
  ++at_;
  const ExpressionNode right = expression();
  const Operation operation = sign.text.size() == 2 ? Operation::less_equal : Operation::less;
  return less ? g_.apply(operation, left, right) : g_.apply(operation, right, left);
}

ExpressionNode ExpressionParser::conditional(const Call& call) {
  const ExpressionNode holds = condition();
  const bool always = g_.constant_value(holds).value_or(0) != 0;
  const bool never = g_.is_constant(holds, 0);
  next_argument(call);
  const ExpressionNode yes = expression_if(!never);
  next_argument(call);
  const ExpressionNode no = expression_if(!always);
  close(call);
  return g_.select(holds, yes, no);
}

std::string_view ExpressionParser::new_index() {
  const Token& token = now();
  const std::string name(token.text);
  if (token.kind != TokenKind::name) {
    fail(token.position, "expected a name for the index, as in sum(i, 1, 3, i^2)");
  }
  bool taken = scope_.has(name) || is_reserved(name);
  for (const auto& [index, value] : indices_) taken = taken || index == name;
  if (taken)
    fail(token.position, "'" + name + "' has a meaning already; give the index another name");
  ++at_;
  return token.text;
}

// The term is read anew for each index.
ExpressionNode ExpressionParser::repeated(const Call& call, bool multiply) {
  const bool outermost = outermost_sum_ == nullptr;
  if (outermost) outermost_sum_ = &call.name;
  const std::string_view name = new_index();
  next_argument(call);
  const double first = whole_number("the first index");
  next_argument(call);
  const double last = whole_number("the last index");
  next_argument(call);
  if (last - first >= kMostTerms) {
    fail(call.name.position, "more than " + std::to_string(static_cast<int>(kMostTerms)) +
                                 " terms are too many to write out");
  }
  const bool used = unused_ == 0 && first <= last;
  const std::size_t start = at_;
  std::vector<ExpressionNode> terms;
  indices_.emplace_back(name, first);
  do {
    at_ = start;
    terms.push_back(expression_if(used));
    indices_.back().second += 1;
  } while (used && indices_.back().second <= last);
  indices_.pop_back();
  close(call);
  if (outermost) outermost_sum_ = nullptr;
  if (!used) terms.clear();
  return multiply ? g_.product(terms) : g_.sum(terms);
}

}  // namespace

ExpressionBudget::ExpressionBudget() : before_(values_left) { values_left = kBudget; }
ExpressionBudget::~ExpressionBudget() { values_left = before_; }

ExpressionNode parse(ExpressionGraph& graph, std::string_view text, const ExpressionScope& scope) {
  return ExpressionParser(graph, text, scope).whole();
}

}  // namespace lilyan
