// Per-vertex data as text: three numbers a line.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

#include "app/scene/body.hpp"

namespace lilyan {

Vector read_vertex_file(const std::filesystem::path& file, int vertices) {
  std::ifstream stream(file);
  if (!stream) throw InputError({file.string()}, "cannot be read");
  Vector values(3 * static_cast<Eigen::Index>(vertices));
  int row = 0;
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    const SourceLocation here{file.string(), line_number};
    line = line.substr(0, line.find('#'));
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto skip = [&] {
      while (at != end && (*at == ' ' || *at == '\t' || *at == ',' || *at == '\r')) ++at;
    };
    skip();
    if (at == end) continue;
    if (row == vertices) {
      throw InputError(here, fmt::format("more lines than the body's {} vertices", vertices));
    }
    for (int c = 0; c < 3; ++c, skip()) {
      double value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc{} || !std::isfinite(value)) {
        throw InputError(here, fmt::format("expected three numbers, found '{}' as number {}",
                                           std::string(at, std::min(end, at + 20)), c + 1));
      }
      values[3 * row + c] = value;
      at = next;
    }
    if (at != end) throw InputError(here, "more than three numbers on this line");
    ++row;
  }
  if (row < vertices) {
    throw InputError({file.string(), line_number},
                     fmt::format("{} lines for a body of {} vertices: one line of three numbers is "
                                 "needed for each",
                                 row, vertices));
  }
  return values;
}

}  // namespace lilyan
