// Words, numbers and XML tags out of a file held in memory, with the place of each for error
// messages.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lilyan {

// A word as it can stand in a one-line message: quoted, cut if long, odd bytes spelt out.
[[nodiscard]] std::string in_quotes(std::string_view word);

// The number whose bytes begin there; `swapped`: in the other order than this machine's.
template <class T>
[[nodiscard]] T number_from_bytes(const char* begin, bool swapped) {
  std::array<char, sizeof(T)> bytes{};
  std::copy_n(begin, sizeof(T), bytes.begin());
  if (swapped) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

// Words and numbers of a text. Numbers go through std::from_chars, so that a comma as decimal
// separator in the user's locale changes nothing. Binary data between lines of text is reached with
// rest() and skip().
class TextScanner {
 public:
  static constexpr char kNoComments = '\0';

  // text must outlive the scanner. From comment to the end of its line text is passed over.
  TextScanner(std::string file, std::string_view text, char comment = kNoComments);

  // To the next line that has a word; false at the end of the text.
  bool next_line();
  // Past the end of the current line, to the first byte of the next one.
  void finish_line();
  // The next word on the current line; empty at its end.
  std::string_view word_in_line();
  // The next word on this line or a later one; empty at the end of the text.
  std::string_view word();

  // The number that a whole word spells. what completes "expected ..., found 'WORD'". An empty
  // word, as the two functions above return it, is reported as the end of the line or file.
  [[nodiscard]] std::uint64_t to_uint(std::string_view word, std::string_view what) const;
  [[nodiscard]] std::int64_t to_int(std::string_view word, std::string_view what) const;
  [[nodiscard]] double to_double(std::string_view word, std::string_view what) const;

  // The text from the current position on. skip() passes over its first bytes, line ends or not.
  [[nodiscard]] std::string_view rest() const { return text_.substr(pos_); }
  void skip(std::size_t bytes);

  // Line numbers mean nothing once binary data was passed: from here on places are byte offsets.
  void locate_by_byte() { by_byte_ = true; }
  // The line of the last word, or the offset of the last word or skipped bytes.
  [[nodiscard]] std::uint64_t place() const { return by_byte_ ? mark_ : line_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  [[noreturn]] void fail(const std::string& message) const { fail_at(place(), message); }
  [[noreturn]] void fail_at(std::uint64_t place, const std::string& message) const;
  // "expected WHAT, found 'WORD'", or the end of the line or file if the word is empty.
  [[noreturn]] void fail_expected(std::string_view what, std::string_view word) const;

  // Fails when count items of at least bytes_each cannot be in what is left of the text, so that
  // a damaged count never decides how much memory is reserved.
  void check_count(std::uint64_t count, std::uint64_t bytes_each, std::string_view items) const;

 private:
  template <typename T>
  T to_whole(std::string_view word, std::string_view what) const;
  bool at_end() const { return pos_ >= text_.size(); }
  // Past blanks and comments; stops at a word, a line end or the end of the text.
  void skip_blanks();
  bool at_comment() const { return comment_ != kNoComments && text_[pos_] == comment_; }
  void take_line_end();
  std::string_view take_word();

  std::string file_;
  std::string_view text_;
  char comment_;
  std::size_t pos_ = 0;
  std::size_t mark_ = 0;
  std::uint64_t line_ = 1;
  bool in_line_ = false;
  bool by_byte_ = false;
};

struct XmlTag {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;
  bool closing = false;      // </name>
  bool self_closed = false;  // <name/>
  std::uint64_t line = 0;

  // Empty when there is none of that name.
  [[nodiscard]] std::string_view attribute(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;
};

// The tags of an XML file one after the other, and the text between them: as much of XML 1.0 as VTK
// writes. Comments and <?...?> are passed over; a document type is refused.
class XmlScanner {
 public:
  // bytes must outlive the scanner and the tags.
  XmlScanner(std::string file, std::string_view bytes) : file_(std::move(file)), bytes_(bytes) {}

  // The next tag; none at the end of the file.
  std::optional<XmlTag> next();
  // The text between the last tag and the next.
  [[nodiscard]] std::string_view text() const;
  // Everything behind the last tag.
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(pos_); }

  [[noreturn]] void fail(std::uint64_t line, const std::string& message) const;
  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  // Forward to a position, counting lines.
  void go_to(std::size_t pos);
  // Past the end of something that must be there.
  void pass(std::string_view end, std::string_view what);
  void skip_blanks();
  std::string_view name(std::string_view what);
  std::string value();

  std::string file_;
  std::string_view bytes_;
  std::size_t pos_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace lilyan
