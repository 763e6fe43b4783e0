#include "lilyan/system/error.hpp"

#include <algorithm>
#include <vector>

namespace lilyan {
namespace {

constexpr std::size_t kAround = 50;  // characters shown on either side

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t announced_length(unsigned char first) {
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 1;
}

// The positions at which the characters of a line begin.
std::vector<std::size_t> characters(std::string_view line) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < line.size(); i += character_length(line, i)) starts.push_back(i);
  return starts;
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t position) {
  const std::size_t length = announced_length(static_cast<unsigned char>(text[position]));
  if (position + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[position + i])) return 1;
  }
  return length;
}

std::string point_at(std::string_view text, std::size_t position) {
  position = std::min(position, text.size());
  const std::size_t before =
      position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(begin, text.find('\n', position) - begin);

  const std::vector<std::size_t> starts = characters(line);
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

}  // namespace lilyan
