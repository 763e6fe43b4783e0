// Where the ticks of an axis are and what stands beside them.
#pragma once

#include <string>
#include <vector>

namespace lilyan {

struct Tick {
  double value = 0;
  std::string label;
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;  // without labels
  // What all labels have in common: "×10⁻⁹", "+ 1.5", "×10⁻⁹ + 1.5". A label times the factor plus
  // the offset is the value.
  std::string note;
};

// At most `most` ticks, at least 2 asked for, at multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] Ticks linear_ticks(double lowest, double highest, int most);
// At powers of ten; in between where there are fewer than two of them. lowest > 0.
[[nodiscard]] Ticks log_ticks(double lowest, double highest, int most);

}  // namespace lilyan
