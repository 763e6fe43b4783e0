#include "app/files/scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

[[noreturn]] void fail_in_line(const std::string& file, std::uint64_t line,
                               const std::string& message) {
  constexpr std::uint64_t kLast = std::numeric_limits<int>::max();
  throw InputError({file, static_cast<int>(std::min(line, kLast)), 0}, message);
}

// A line end is no blank in a text, where it ends a record, but it is one in XML.
bool is_text_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool is_xml_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_xml_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

// from_chars takes no plus sign, which some writers put before exponents' and numbers' digits.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

template <typename T>
std::errc parse_word(std::string_view word, T& value) {
  word = without_plus(word);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::errc::invalid_argument;
  return error;
}

}  // namespace

std::string in_quotes(std::string_view word) {
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
  while (!at_end() && is_text_blank(text_[pos_])) ++pos_;
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
  while (!at_end() && text_[pos_] != '\n' && !is_text_blank(text_[pos_]) && !at_comment()) ++pos_;
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

template <typename T>
T TextScanner::to_whole(std::string_view word, std::string_view what) const {
  T value = 0;
  const std::errc error = parse_word(word, value);
  if (error == std::errc::result_out_of_range) {
    fail("expected " + std::string(what) + ", found " + in_quotes(word) + ", which is too large");
  }
  if (error != std::errc()) fail_expected(what, word);
  return value;
}

std::uint64_t TextScanner::to_uint(std::string_view word, std::string_view what) const {
  return to_whole<std::uint64_t>(word, what);
}

std::int64_t TextScanner::to_int(std::string_view word, std::string_view what) const {
  return to_whole<std::int64_t>(word, what);
}

double TextScanner::to_double(std::string_view word, std::string_view what) const {
  double value = 0;
  const std::errc error = parse_word(word, value);
  if (error == std::errc()) return value;
  if (error == std::errc::invalid_argument) fail_expected(what, word);
  // Out of range says too large and too small alike; only the former is a mistake.
  long double wide = 0;
  if (parse_word(word, wide) == std::errc() && std::abs(wide) < 1) {
    return static_cast<double>(wide);
  }
  fail("expected " + std::string(what) + ", found " + in_quotes(word) +
       ", which is outside the range of a double");
}

void TextScanner::fail_at(std::uint64_t place, const std::string& message) const {
  if (by_byte_) {
    throw InputError({file_, 0, 0}, "byte " + std::to_string(place) + ": " + message);
  }
  fail_in_line(file_, place, message);
}

void TextScanner::fail_expected(std::string_view what, std::string_view word) const {
  std::string found = in_quotes(word);
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

std::string_view XmlTag::attribute(std::string_view key) const {
  for (const auto& [name_of, value] : attributes) {
    if (name_of == key) return value;
  }
  return {};
}

bool XmlTag::has(std::string_view key) const {
  return std::ranges::any_of(attributes, [&](const auto& a) { return a.first == key; });
}

void XmlScanner::fail(std::uint64_t line, const std::string& message) const {
  fail_in_line(file_, line, message);
}

void XmlScanner::go_to(std::size_t pos) {
  const auto skipped = bytes_.substr(pos_, pos - pos_);
  line_ += static_cast<std::uint64_t>(std::ranges::count(skipped, '\n'));
  pos_ = pos;
}

void XmlScanner::pass(std::string_view end, std::string_view what) {
  const std::size_t found = bytes_.find(end, pos_);
  if (found == std::string_view::npos) {
    fail(line_, "expected " + in_quotes(end) + " at the end of " + std::string(what) +
                    ", found the end of the file");
  }
  go_to(found + end.size());
}

void XmlScanner::skip_blanks() {
  std::size_t pos = pos_;
  while (pos < bytes_.size() && is_xml_blank(bytes_[pos])) ++pos;
  go_to(pos);
}

std::string_view XmlScanner::name(std::string_view what) {
  std::size_t end = pos_;
  while (end < bytes_.size() && is_xml_name(bytes_[end])) ++end;
  if (end == pos_) {
    fail(line_,
         "expected " + std::string(what) + ", found " +
             (pos_ == bytes_.size() ? "the end of the file" : in_quotes(rest().substr(0, 1))));
  }
  const std::string_view found = bytes_.substr(pos_, end - pos_);
  pos_ = end;
  return found;
}

std::string XmlScanner::value() {
  if (rest().empty() || (rest().front() != '"' && rest().front() != '\'')) {
    fail(line_, "expected an attribute's value in quotes");
  }
  const char quote = rest().front();
  const std::size_t end = bytes_.find(quote, pos_ + 1);
  if (end == std::string_view::npos) fail(line_, "an attribute's value has no closing quote");
  std::string_view raw = bytes_.substr(pos_ + 1, end - pos_ - 1);
  if (raw.find('<') != std::string_view::npos) {
    fail(line_, "found '<' inside an attribute's value: is a quote missing?");
  }
  go_to(end + 1);
  using Entity = std::pair<std::string_view, char>;
  static constexpr std::array<Entity, 5> kEntities = {
      Entity{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!raw.empty()) {
    const auto entity =
        std::ranges::find_if(kEntities, [&](const Entity& e) { return raw.starts_with(e.first); });
    if (entity != kEntities.end()) {
      out += entity->second;
      raw.remove_prefix(entity->first.size());
    } else {
      out += raw.front();
      raw.remove_prefix(1);
    }
  }
  return out;
}

std::optional<XmlTag> XmlScanner::next() {
  while (true) {
    const std::size_t open = bytes_.find('<', pos_);
    go_to(std::min(open, bytes_.size()));
    if (open == std::string_view::npos) return {};
    if (rest().starts_with("<?")) {
      pass("?>", "a processing instruction");
    } else if (rest().starts_with("<!--")) {
      pass("-->", "a comment");
    } else if (rest().starts_with("<!")) {
      fail(line_, "found " + in_quotes(rest().substr(0, 10)) +
                      ": document types and the like are not read");
    } else {
      break;
    }
  }
  XmlTag tag;
  tag.line = line_;
  ++pos_;
  tag.closing = rest().starts_with('/');
  if (tag.closing) ++pos_;
  tag.name = name("the name of a tag behind '<'");
  while (true) {
    skip_blanks();
    if (rest().starts_with('>')) {
      ++pos_;
      return tag;
    }
    if (rest().starts_with("/>") && !tag.closing) {
      pos_ += 2;
      tag.self_closed = true;
      return tag;
    }
    if (tag.closing) fail(line_, "expected '>' behind '</" + std::string(tag.name) + "'");
    const std::string_view key = name("an attribute or '>' in the tag " + in_quotes(tag.name));
    skip_blanks();
    if (!rest().starts_with('='))
      fail(line_, "expected '=' behind the attribute " + in_quotes(key));
    ++pos_;
    skip_blanks();
    if (tag.has(key)) fail(line_, "the attribute " + in_quotes(key) + " is given twice");
    tag.attributes.emplace_back(key, value());
  }
}

std::string_view XmlScanner::text() const {
  return rest().substr(0, std::min(rest().find('<'), rest().size()));
}

}  // namespace lilyan
