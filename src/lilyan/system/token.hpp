// An expression's text as words, numbers and signs.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lilyan {

enum class TokenKind { number, too_large, name, sign, stray, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t position = 0;  // in bytes
  std::string_view text;
  double value = 0;  // of a number

  [[nodiscard]] bool is(std::string_view sign) const {
    return kind == TokenKind::sign && text == sign;
  }
};

// Never fails: what is no token becomes a stray one, reported when the parser comes to it. The last
// token is the end.
[[nodiscard]] std::vector<Token> tokens(std::string_view text);

[[nodiscard]] bool begins_name(char c);
[[nodiscard]] bool continues_name(char c);

}  // namespace lilyan
