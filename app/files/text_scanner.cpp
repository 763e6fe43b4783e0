// Words and numbers out of a text held in memory, with the place of each for error messages.
#include "app/files/text_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace lilyan {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// from_chars takes no plus sign, which some writers put before exponents' and numbers' digits.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

template <typename T>
std::errc parse_whole(std::string_view word, T& value) {
  word = without_plus(word);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::errc::invalid_argument;
  return error;
}

}  // namespace

std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  static const char* const kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : word.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + (word.size() > kLongest ? "...'" : "'");
}

TextScanner::TextScanner(std::string file, std::string_view text, char comment)
    : file_(std::move(file)), text_(text), comment_(comment) {}

void TextScanner::skip_blanks() {
  while (!at_end() && is_blank(text_[pos_])) ++pos_;
  if (!at_end() && at_comment()) pos_ = std::min(text_.find('\n', pos_), text_.size());
}

void TextScanner::take_line_end() {
  ++pos_;
  // A last line end opens no line: a message about a cut file should name a line that exists.
  if (!at_end()) ++line_;
  in_line_ = false;
}

std::string_view TextScanner::take_word() {
  mark_ = pos_;
  while (!at_end() && text_[pos_] != '\n' && !is_blank(text_[pos_]) && !at_comment()) ++pos_;
  in_line_ = true;
  return text_.substr(mark_, pos_ - mark_);
}

void TextScanner::finish_line() {
  pos_ = std::min(text_.find('\n', pos_), text_.size());
  mark_ = pos_;
  if (!at_end()) take_line_end();
  in_line_ = false;
}

bool TextScanner::next_line() {
  if (in_line_) finish_line();
  skip_blanks();
  while (!at_end() && text_[pos_] == '\n') {
    take_line_end();
    skip_blanks();
  }
  mark_ = pos_;
  in_line_ = !at_end();
  return in_line_;
}

std::string_view TextScanner::word_in_line() {
  skip_blanks();
  if (at_end() || text_[pos_] == '\n') {
    mark_ = pos_;
    return {};
  }
  return take_word();
}

std::string_view TextScanner::word() {
  skip_blanks();
  while (!at_end() && text_[pos_] == '\n') {
    take_line_end();
    skip_blanks();
  }
  return take_word();
}

void TextScanner::skip(std::size_t bytes) {
  mark_ = pos_;
  pos_ += std::min(bytes, text_.size() - pos_);
  in_line_ = false;
}

std::uint64_t TextScanner::to_uint(std::string_view word, std::string_view what) const {
  std::uint64_t value = 0;
  const std::errc error = parse_whole(word, value);
  if (error == std::errc::result_out_of_range) {
    fail("expected " + std::string(what) + ", found " + quoted(word) + ", which is too large");
  }
  if (error != std::errc()) fail_expected(what, word);
  return value;
}

std::int64_t TextScanner::to_int(std::string_view word, std::string_view what) const {
  std::int64_t value = 0;
  const std::errc error = parse_whole(word, value);
  if (error == std::errc::result_out_of_range) {
    fail("expected " + std::string(what) + ", found " + quoted(word) + ", which is too large");
  }
  if (error != std::errc()) fail_expected(what, word);
  return value;
}

double TextScanner::to_double(std::string_view word, std::string_view what) const {
  double value = 0;
  const std::errc error = parse_whole(word, value);
  if (error == std::errc()) return value;
  if (error == std::errc::invalid_argument) fail_expected(what, word);
  // Out of range says too large and too small alike; only the former is a mistake.
  long double wide = 0;
  if (parse_whole(word, wide) == std::errc() && std::abs(wide) < 1) {
    return static_cast<double>(wide);
  }
  fail("expected " + std::string(what) + ", found " + quoted(word) +
       ", which is outside the range of a double");
}

void TextScanner::fail_at(std::uint64_t place, const std::string& complaint) const {
  if (by_byte_) {
    throw InputError({file_, 0, 0}, "byte " + std::to_string(place) + ": " + complaint);
  }
  constexpr std::uint64_t kLast = std::numeric_limits<int>::max();
  throw InputError({file_, static_cast<int>(std::min(place, kLast)), 0}, complaint);
}

void TextScanner::fail_expected(std::string_view what, std::string_view word) const {
  std::string found = quoted(word);
  if (word.empty()) {
    found = text_.find_first_not_of(" \t\r\n\v\f", pos_) == std::string_view::npos
                ? "the end of the file"
                : "the end of the line";
  }
  fail("expected " + std::string(what) + ", found " + found);
}

void TextScanner::check_count(std::uint64_t count, std::uint64_t bytes_each,
                              std::string_view items) const {
  const std::uint64_t left = text_.size() - pos_;
  // One more than the division says, as the last item may lack the separator it counts with.
  if (count <= left / bytes_each + 1) return;
  fail("the file declares " + std::to_string(count) + " " + std::string(items) + ", but only " +
       std::to_string(left) + " bytes follow: it is cut short or the number is wrong");
}

}  // namespace lilyan
