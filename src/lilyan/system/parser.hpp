// The recursive descent behind parse(). parse.cpp has the grammar, parse_call.cpp the calls.
//
//   expression   = term {("+" | "-") term}
//   term         = signed_power {("*" | "/") signed_power}
//   signed_power = {"+" | "-"} value ["^" signed_power]
//   value        = number | "(" expression ")" | call
//                | name {"'"} ["[" expression "]" {"'"}]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lilyan/system/graph.hpp"
#include "lilyan/system/scope.hpp"
#include "lilyan/system/token.hpp"

namespace lilyan {

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
  [[noreturn]] static void fail(std::size_t position, const std::string& complaint);
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

}  // namespace lilyan
