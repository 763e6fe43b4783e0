// Functions, if, sum and product.
#include "lilyan/core/parameter.hpp"
#include "lilyan/system/error.hpp"
#include "lilyan/system/parser.hpp"

namespace lilyan {

namespace {
constexpr double kMostTerms = 1'000'000;
}  // namespace

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

}  // namespace lilyan
