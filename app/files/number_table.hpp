// A CSV file of numbers with a line of names above them, as series.csv and trajectory.csv are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lilyan {

struct NumberTable {
  std::vector<std::string> columns;
  std::vector<double> values;  // row after row

  [[nodiscard]] std::size_t rows() const { return values.size() / columns.size(); }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
};

// Throws InputError, with the line, for anything that is not such a file. A last line without its
// end is left out: its writer was killed.
[[nodiscard]] NumberTable read_numbers(const std::filesystem::path& file);

}  // namespace lilyan
