#include "lilyan/core/error.hpp"

#include <fmt/format.h>

namespace lilyan {

std::string SourceLocation::str() const {
  if (line <= 0) return file;
  if (column <= 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

InputError::InputError(const SourceLocation& where, const std::string& what)
    : Error(fmt::format("{}: {}", where.str(), what)), where_(where), what_(what) {}

}  // namespace lilyan
