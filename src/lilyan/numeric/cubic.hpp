// Where a cubic changes its sign.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace lilyan {

// c₀ + c₁ s + c₂ s² + c₃ s³
using Cubic = std::array<double, 4>;

class SignChanges {
 public:
  // Those between two numbers, ascending, each to the last digit. At the end c may be known better, by its sign.
  SignChanges(const Cubic& c, double from, double to, std::optional<bool> positive_at_end = {}) {
    // Between its turns, 3 c₃ s² + 2 c₂ s + c₁ = 0, it only grows or only falls. (By the sum that does not cancel.)
    std::array<double, 4> turn{from};
    std::size_t turns = 1;
    const double root = std::sqrt(std::max(0.0, c[2] * c[2] - 3 * c[3] * c[1]));
    const double q = -(c[2] + std::copysign(root, c[2]));
    std::array<double, 2> roots = {q / (3 * c[3]), c[1] / q};
    if (roots[1] < roots[0]) std::swap(roots[0], roots[1]);
    for (const double s : roots) {
      if (s > from && s < to) turn[turns++] = s;
    }
    turn[turns++] = to;
    const auto above = [&](double s) {
      if (s == to && positive_at_end) return *positive_at_end;
      return c[0] + s * (c[1] + s * (c[2] + s * c[3])) >= 0;
    };
    for (std::size_t k = 0; k + 1 < turns; ++k) {
      double low = turn[k];
      double high = turn[k + 1];
      const bool start = above(low);
      if (start == above(high)) continue;
      for (double half = 0.5 * (low + high); half > low && half < high; half = 0.5 * (low + high)) {
        (above(half) == start ? low : high) = half;
      }
      at_[count_++] = high;
    }
  }

  [[nodiscard]] std::span<const double> at() const { return {at_.data(), count_}; }

 private:
  std::array<double, 3> at_{};
  std::size_t count_ = 0;
};

}  // namespace lilyan
