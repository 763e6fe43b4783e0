// An expression's text: its tokens, and the messages about errors in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/base/error.hpp"

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

// Never fails: a character that begins no token becomes a stray one, which the parser reports when it
// comes to it. The last token is the end.
[[nodiscard]] std::vector<Token> tokens(std::string_view text);

// Bytes of the UTF-8 character at a position; 1 where the bytes are not UTF-8.
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t position);

[[nodiscard]] bool begins_name(char c);
[[nodiscard]] bool continues_name(char c);

class ExpressionError : public Error {
 public:
  ExpressionError(std::size_t position, const std::string& message)
      : Error(message), position_(position) {}
  // In bytes from the beginning of the text; its length for "something is missing at the end".
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// The line of the text that has the position, cut to what is near it, and below it a caret:
//   2*x + 3y
//          ^
[[nodiscard]] std::string point_at(std::string_view text, std::size_t position);

// The message where a value should begin, but the token that was found cannot begin one.
[[nodiscard]] std::string message_before_value(const Token& found);

// The message where a value has ended, but the token that was found cannot follow it. `expected`
// names what could follow, such as "')'", and may be empty.
[[nodiscard]] std::string message_after_value(const Token& last, const Token& found,
                                              std::string_view expected);

}  // namespace lilyan
