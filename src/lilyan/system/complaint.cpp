#include "lilyan/system/complaint.hpp"

#include <array>
#include <utility>

namespace lilyan {
namespace {

std::string hint(std::string_view character) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kHints = {
      {{"·", "; write * for a product"},
       {"×", "; write * for a product"},
       {"÷", "; write / for a quotient"},
       {"−", "; write - for a minus"},
       {"′", "; write ' for a time derivative"},
       {"≤", "; write <="},
       {"≥", "; write >="},
       {"=", "; an expression has a value and is no equation"}}};
  for (const auto& [sign, text] : kHints) {
    if (sign == character) return std::string(text);
  }
  const bool letter = static_cast<unsigned char>(character[0]) >= 0x80;
  return letter ? "; names are made of the letters a to z, digits and _" : "";
}

// What is wrong with a token wherever it stands; empty for a sound one.
std::string unsound(const Token& token) {
  if (token.kind == TokenKind::too_large) {
    return "the number " + std::string(token.text.substr(0, 40)) + " is too large";
  }
  if (token.kind != TokenKind::stray) return "";
  return "unexpected character " + quoted_token(token) + hint(token.text);
}

bool begins_value(const Token& token) {
  return token.kind == TokenKind::number || token.kind == TokenKind::name || token.is("(");
}

bool compares(const Token& token) {
  return token.is("<") || token.is("<=") || token.is(">") || token.is(">=");
}

}  // namespace

std::string quoted_token(const Token& token) {
  constexpr std::size_t kLongest = 40;
  if (token.kind == TokenKind::end) return "the end";
  const auto byte = static_cast<unsigned char>(token.text[0]);
  const bool odd = token.text.size() == 1 && (byte < 0x20 || byte >= 0x7f);
  if (!odd) {
    const bool cut = token.text.size() > kLongest;
    return "'" + std::string(token.text.substr(0, kLongest)) + (cut ? "...'" : "'");
  }
  static const char* const kHex = "0123456789abcdef";
  return {'\'', '\\', 'x', kHex[byte >> 4], kHex[byte & 15], '\''};
}

std::string complaint_before_value(const Token& found) {
  if (const std::string complaint = unsound(found); !complaint.empty()) return complaint;
  if (found.kind == TokenKind::end) return "the expression ends where a value is expected";
  if (found.is("'")) return "a prime can only follow a name, as in theta'";
  return "expected a value, found " + quoted_token(found);
}

std::string complaint_after_value(const Token& last, const Token& found,
                                  std::string_view expected) {
  if (const std::string complaint = unsound(found); !complaint.empty()) return complaint;
  if (begins_value(found)) {
    const std::string product =
        std::string(last.text.substr(0, 40)) + "*" + std::string(found.text.substr(0, 40));
    return "a product must be written with *: " + product;
  }
  if (found.is("**")) return "'**' is not known; write ^ for a power";
  if (found.is("'")) return "a prime can only follow a name, as in theta'";
  if (compares(found)) return "a comparison can only be the condition of if(condition, a, b)";
  if (!expected.empty()) {
    return "expected " + std::string(expected) + ", found " + quoted_token(found);
  }
  if (found.is(")")) return "')' without a '(' before it";
  return "unexpected " + quoted_token(found);
}

}  // namespace lilyan
