#include "lilyan/lagrangian/expression_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace lilyan {
namespace {

constexpr std::string_view kSigns = "+-*/^()[],'<>";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// std::from_chars, so that the user's locale changes nothing. A number too small for a double is 0.
Token number_token(std::string_view rest, std::size_t position) {
  double value = 0;
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, value);
  const std::string_view text = rest.substr(0, static_cast<std::size_t>(stop - rest.data()));
  if (error != std::errc::result_out_of_range) return {TokenKind::number, position, text, value};
  long double wide = 0;
  const auto wide_error = std::from_chars(rest.data(), end, wide).ec;
  const bool small =
      wide_error == std::errc() ? std::abs(wide) < 1 : text.find('-') != std::string_view::npos;
  if (!small) return {TokenKind::too_large, position, text, 0};
  return {TokenKind::number, position, text, static_cast<double>(wide)};
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t announced_length(unsigned char first) {
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 1;
}

std::size_t sign_length(std::string_view rest) {
  const std::string_view two = rest.substr(0, 2);
  return two == "<=" || two == ">=" || two == "**" ? 2 : 1;
}

Token token_at(std::string_view text, std::size_t position) {
  const std::string_view rest = text.substr(position);
  const bool decimal = rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]);
  if (is_digit(rest[0]) || decimal) return number_token(rest, position);
  if (begins_name(rest[0])) {
    std::size_t length = 1;
    while (length < rest.size() && continues_name(rest[length])) ++length;
    return {TokenKind::name, position, rest.substr(0, length), 0};
  }
  if (kSigns.find(rest[0]) != std::string_view::npos) {
    return {TokenKind::sign, position, rest.substr(0, sign_length(rest)), 0};
  }
  return {TokenKind::stray, position, rest.substr(0, character_length(text, position)), 0};
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t position) {
  const std::size_t length = announced_length(static_cast<unsigned char>(text[position]));
  if (position + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[position + i])) return 1;
  }
  return length;
}

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> result;
  std::size_t position = 0;
  while (true) {
    while (position < text.size() && is_blank(text[position])) ++position;
    if (position == text.size()) break;
    result.push_back(token_at(text, position));
    position += result.back().text.size();
  }
  result.push_back({TokenKind::end, text.size(), {}, 0});
  return result;
}

// Messages.

namespace {

constexpr std::size_t kAround = 50;  // characters shown on either side

// The positions at which the characters of a line begin.
std::vector<std::size_t> character_starts(std::string_view line) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < line.size(); i += character_length(line, i)) starts.push_back(i);
  return starts;
}

std::string hint_for_character(std::string_view character) {
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

// A token as it can stand in a message.
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

// The message about a token that is wrong wherever it stands; empty for others.
std::string message_for_unsound(const Token& token) {
  if (token.kind == TokenKind::too_large) {
    return "the number " + std::string(token.text.substr(0, 40)) + " is too large";
  }
  if (token.kind != TokenKind::stray) return "";
  return "unexpected character " + quoted_token(token) + hint_for_character(token.text);
}

bool begins_value(const Token& token) {
  return token.kind == TokenKind::number || token.kind == TokenKind::name || token.is("(");
}

bool compares(const Token& token) {
  return token.is("<") || token.is("<=") || token.is(">") || token.is(">=");
}

}  // namespace

std::string point_at(std::string_view text, std::size_t position) {
  position = std::min(position, text.size());
  const std::size_t before =
      position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(begin, text.find('\n', position) - begin);

  const std::vector<std::size_t> starts = character_starts(line);
  const std::size_t column = std::ranges::lower_bound(starts, position - begin) - starts.begin();
  const std::size_t first = column > kAround ? column - kAround : 0;
  const std::size_t last = std::min(starts.size(), column + kAround);
  const std::size_t from = first < starts.size() ? starts[first] : line.size();
  const std::size_t to = last < starts.size() ? starts[last] : line.size();

  std::string shown = first > 0 ? "..." : "";
  const std::size_t indent = shown.size() + column - first;
  shown += line.substr(from, to - from);
  if (last < starts.size()) shown += "...";
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return shown + "\n" + std::string(indent, ' ') + "^";
}

std::string message_before_value(const Token& found) {
  if (const std::string message = message_for_unsound(found); !message.empty()) return message;
  if (found.kind == TokenKind::end) return "the expression ends where a value is expected";
  if (found.is("'")) return "a prime can only follow a name, as in theta'";
  return "expected a value, found " + quoted_token(found);
}

std::string message_after_value(const Token& last, const Token& found, std::string_view expected) {
  if (const std::string message = message_for_unsound(found); !message.empty()) return message;
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
