#include "lilyan/system/token.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "lilyan/system/error.hpp"

namespace lilyan {
namespace {

constexpr std::string_view kSigns = "+-*/^()[],'<>";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// std::from_chars, so that the user's locale changes nothing. A number too small for a double is 0.
Token number(std::string_view rest, std::size_t position) {
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

std::size_t sign_length(std::string_view rest) {
  const std::string_view two = rest.substr(0, 2);
  return two == "<=" || two == ">=" || two == "**" ? 2 : 1;
}

Token next(std::string_view text, std::size_t position) {
  const std::string_view rest = text.substr(position);
  const bool decimal = rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]);
  if (is_digit(rest[0]) || decimal) return number(rest, position);
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

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> result;
  std::size_t position = 0;
  while (true) {
    while (position < text.size() && is_blank(text[position])) ++position;
    if (position == text.size()) break;
    result.push_back(next(text, position));
    position += result.back().text.size();
  }
  result.push_back({TokenKind::end, text.size(), {}, 0});
  return result;
}

}  // namespace lilyan
