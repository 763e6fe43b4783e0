// What the parser says of tokens that cannot stand where they are.
#pragma once

#include <string>
#include <string_view>

#include "lilyan/system/token.hpp"

namespace lilyan {

// A token as it can stand in a message.
[[nodiscard]] std::string quoted_token(const Token& token);

// Where a value should begin.
[[nodiscard]] std::string complaint_before_value(const Token& found);

// Where a value has ended; `expected` names what could follow, such as "')'", and may be empty.
[[nodiscard]] std::string complaint_after_value(const Token& last, const Token& found,
                                                std::string_view expected);

}  // namespace lilyan
