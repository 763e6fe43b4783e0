// The tags of an XML file one after the other, and the text between them: as much of XML 1.0 as VTK
// writes. Comments and <?...?> are passed over; a document type is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lilyan {

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

class XmlScanner {
 public:
  // bytes must outlive the scanner and the tags.
  XmlScanner(std::string file, std::string_view bytes) : file_(std::move(file)), bytes_(bytes) {}

  // The next tag; none at the end of the file.
  std::optional<XmlTag> next();
  // What stands between the last tag and the next.
  [[nodiscard]] std::string_view text() const;
  // Everything behind the last tag.
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(pos_); }

  [[noreturn]] void fail(std::uint64_t line, const std::string& complaint) const;
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
