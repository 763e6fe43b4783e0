// What is wrong with an expression's text, and where.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lilyan/core/error.hpp"

namespace lilyan {

class ExpressionError : public Error {
 public:
  ExpressionError(std::size_t position, const std::string& complaint)
      : Error(complaint), position_(position) {}
  // In bytes from the beginning of the text; its length for "something is missing at the end".
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// The line of the text that has the position, cut to what is near it, and below it a caret:
//   2*x + 3y
//          ^
[[nodiscard]] std::string point_at(std::string_view text, std::size_t position);

// Bytes of the UTF-8 character at a position; 1 where the bytes are not UTF-8.
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t position);

}  // namespace lilyan
