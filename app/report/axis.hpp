// One axis of a figure: its range, where a value is on it, and its ticks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/figure.hpp"

namespace lilyan {

struct Tick {
  double value = 0;
  std::string label = {};
};

struct Ticks {
  std::vector<Tick> major = {};
  std::vector<double> minor = {};  // without labels
  // The value is a label times the factor ("×10⁻⁹" or empty) and what is added ("+ 1.5" or empty).
  std::string factor = {};
  std::string plus = {};

  // Both, to be written beside the axis.
  [[nodiscard]] std::string note() const {
    return factor + (factor.empty() || plus.empty() ? "" : " ") + plus;
  }
};

// Returns at most `most` ticks, at multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] Ticks linear_ticks(double lowest, double highest, int most);
// Returns ticks at powers of ten, and in between where there are fewer than two of them. lowest > 0.
[[nodiscard]] Ticks log_ticks(double lowest, double highest, int most);

class Axis {
 public:
  // lowest <= highest, positive on a logarithmic axis. A range too narrow for doubles is widened.
  Axis(double lowest, double highest, bool logarithmic);

  // The place of a value: 0 at the lowest, 1 at the highest, not a number where it has no place.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] double value(double place) const;
  [[nodiscard]] Ticks ticks(int most) const;

  // The length of what is laid out evenly: of the values, or of their logarithms.
  [[nodiscard]] double extent() const { return to_ - from_; }
  // The middle stays where it is.
  [[nodiscard]] Axis widened(double extent) const;

 private:
  double from_;
  double to_;
  bool logarithmic_;
};

// The axes of a figure, none without data. Throws Error when the figure makes no sense.
[[nodiscard]] std::optional<std::pair<Axis, Axis>> find_axes(const Figure& figure);

}  // namespace lilyan
