// The bytes of a Gmsh file, ASCII or binary.
//
// Layout: Gmsh reference manual, "MSH file format" (4.1) and "MSH file format version 2 (Legacy)".
// A file is a sequence of sections, each from a line $Name to a line $EndName. The first is
//   $MeshFormat
//   version file-type data-size     file-type is 0 for ASCII, 1 for binary
//   the int 1                       binary only: tells the byte order of the machine that wrote it
//   $EndMeshFormat
// data-size is that of a double in version 2 and of a size_t in version 4.
#include "app/files/gmsh_input.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace lilyan {

std::string GmshInput::next_section() {
  if (!text_.next_line()) return {};
  const std::string_view word = text_.word_in_line();
  if (word.size() < 2 || word.front() != '$') {
    text_.fail_expected("a section such as $MeshFormat, $Nodes or $Elements", word);
  }
  if (word.starts_with("$End")) {
    text_.fail("found " + quoted(word) + " outside a section of that name");
  }
  section_place_ = text_.place();
  text_.finish_line();
  return std::string(word.substr(1));
}

void GmshInput::read_format() {
  if (!text_.next_line()) text_.fail_expected("the version of the format, such as 4.1", {});
  const std::string_view version = text_.word_in_line();
  static_cast<void>(text_.to_double(version, "the version of the format, such as 4.1"));
  if (version == "2" || version.starts_with("2.")) {
    version_ = 2;
  } else if (version == "4.1") {
    version_ = 4;
  } else {
    text_.fail("Gmsh format version " + quoted(version) +
               " is not read: save the mesh as version 2.2 or 4.1");
  }

  const std::int64_t type = text_.to_int(text_.word_in_line(), "the file type, 0 or 1");
  if (type != 0 && type != 1) {
    text_.fail("expected the file type, 0 (ASCII) or 1 (binary), found " + std::to_string(type));
  }
  size_bytes_ = text_.to_uint(text_.word_in_line(), "the data size, 8");
  binary_ = type == 1;
  if (binary_) {
    if (size_bytes_ != 8 && !(version_ == 4 && size_bytes_ == 4)) {
      text_.fail("binary data of size " + std::to_string(size_bytes_) + " is not read: expected 8");
    }
    text_.finish_line();
    text_.locate_by_byte();
    read_byte_order();
  }
  end_section("MeshFormat");
}

void GmshInput::read_byte_order() {
  const std::int64_t one = read_int("the int 1 that tells the byte order");
  constexpr std::int64_t kOneSwapped = 0x01000000;
  if (one != 1 && one != kOneSwapped) {
    text_.fail("expected the int 1 that tells the byte order of a binary file, found " +
               std::to_string(one) + ": the file is damaged, or was copied as text");
  }
  swapped_ = one == kOneSwapped;
}

void GmshInput::skip_section(const std::string& name) {
  const std::string end = "$End" + name;
  if (binary_) {
    const std::size_t found = text_.rest().find(end);
    if (found != std::string_view::npos) {
      text_.skip(found + end.size());
      return;
    }
  } else {
    while (text_.next_line()) {
      if (text_.word_in_line() == end) return;
    }
  }
  fail_section("the section " + quoted("$" + name) + " has no " + quoted(end));
}

void GmshInput::end_section(const std::string& name) {
  const std::string end = "$End" + name;
  const std::string_view word = text_.next_line() ? text_.word_in_line() : std::string_view();
  if (word != end) text_.fail_expected(end + " after what $" + name + " declares", word);
}

void GmshInput::begin_record(std::string_view item, std::uint64_t i, std::uint64_t count) {
  if (binary_) return;
  const bool more = text_.next_line();
  if (more && text_.rest().front() != '$') return;
  const std::string what =
      std::string(item) + " " + std::to_string(i + 1) + " of " + std::to_string(count);
  text_.fail_expected(what, more ? text_.word_in_line() : std::string_view());
}

void GmshInput::end_record() {
  if (binary_) return;
  const std::string_view word = text_.word_in_line();
  if (!word.empty()) text_.fail_expected("the end of the line", word);
}

std::uint64_t GmshInput::count_line(const std::string& items, std::uint64_t text_bytes,
                                    std::uint64_t binary_bytes) {
  const std::string_view word = text_.next_line() ? text_.word_in_line() : std::string_view();
  const std::uint64_t count = text_.to_uint(word, "the number of " + items);
  check_count(count, text_bytes, binary_bytes, items);
  text_.finish_line();
  return count;
}

template <typename T>
T GmshInput::read_binary(std::string_view what) {
  std::array<char, sizeof(T)> bytes{};
  const std::string_view rest = text_.rest();
  text_.skip(sizeof(T));
  if (rest.size() < sizeof(T)) text_.fail_expected(what, {});
  std::copy_n(rest.begin(), sizeof(T), bytes.begin());
  if (swapped_) std::ranges::reverse(bytes);
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::int64_t GmshInput::read_int(std::string_view what) {
  if (binary_) return read_binary<std::int32_t>(what);
  return text_.to_int(text_.word_in_line(), what);
}

std::uint64_t GmshInput::read_size(std::string_view what) {
  if (!binary_) return text_.to_uint(text_.word_in_line(), what);
  if (size_bytes_ == 4) return read_binary<std::uint32_t>(what);
  return read_binary<std::uint64_t>(what);
}

double GmshInput::read_double(std::string_view what) {
  if (binary_) return read_binary<double>(what);
  return text_.to_double(text_.word_in_line(), what);
}

std::uint64_t GmshInput::read_number(std::string_view what) {
  const std::int64_t number = read_int(what);
  if (number < 0) text_.fail_expected(what, std::to_string(number));
  return static_cast<std::uint64_t>(number);
}

void GmshInput::skip_items(std::uint64_t count, std::uint64_t bytes_each, std::string_view items) {
  const std::uint64_t left = text_.rest().size();
  if (count > left / bytes_each) {
    text_.fail("the file declares " + std::to_string(count) + " " + std::string(items) +
               ", but only " + std::to_string(left) +
               " bytes follow: it is cut short or the number is wrong");
  }
  text_.skip(count * bytes_each);
}

void GmshInput::check_count(std::uint64_t count, std::uint64_t text_bytes,
                            std::uint64_t binary_bytes, std::string_view items) const {
  text_.check_count(count, binary_ ? binary_bytes : text_bytes, items);
}

}  // namespace lilyan
