#include "app/files/number_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

double number(std::string_view text, const SourceLocation& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(where, fmt::format("expected a number, found '{}'", text));
  }
  return value;
}

}  // namespace

NumberTable read_numbers(const std::filesystem::path& file) {
  std::ifstream stream(file);
  NumberTable table;
  std::string line;
  if (!std::getline(stream, line) || line.empty()) {
    throw InputError({file.string(), 1, 0}, "this is no table: its columns have no names");
  }
  std::stringstream names(line);
  for (std::string name; std::getline(names, name, ',');) table.columns.push_back(name);
  for (int row = 2; std::getline(stream, line) && !stream.eof(); ++row) {
    const SourceLocation where{file.string(), row, 0};
    std::size_t count = 0;
    for (std::size_t at = 0; at <= line.size(); ++count) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      table.values.push_back(number(std::string_view(line).substr(at, end - at), where));
      at = end + 1;
    }
    if (count != table.columns.size()) {
      throw InputError(
          where, fmt::format("there are {} columns, expected {}", count, table.columns.size()));
    }
  }
  return table;
}

}  // namespace lilyan
