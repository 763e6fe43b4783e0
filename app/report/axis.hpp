// One axis of a figure: its range, and where a value is on it.
#pragma once

#include <optional>
#include <utility>

#include "app/report/figure.hpp"
#include "app/report/ticks.hpp"

namespace lilyan {

class Axis {
 public:
  // lowest <= highest, positive on a logarithmic axis. A range too narrow for doubles is widened.
  Axis(double lowest, double highest, bool logarithmic);

  // From 0 at the lowest value to 1 at the highest; not a number where a value has no place.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  [[nodiscard]] Ticks ticks(int most) const;

  // Of what is laid out evenly: the values, or their logarithms.
  [[nodiscard]] double extent() const { return to_ - from_; }
  // The middle stays where it is.
  [[nodiscard]] Axis widened(double extent) const;

 private:
  double from_;
  double to_;
  bool logarithmic_;
};

// Finite, of a size that can be reckoned with, and positive on a logarithmic axis.
[[nodiscard]] bool can_be_shown(double value, bool logarithmic);

// Axes for what the figure asks for and has; none without data. Throws Error when the figure makes
// no sense.
[[nodiscard]] std::optional<std::pair<Axis, Axis>> find_axes(const Figure& figure);

}  // namespace lilyan
