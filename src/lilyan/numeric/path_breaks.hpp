// Where the path of a step comes to places at which a formula goes over to another one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace lilyan {

// For each place the two neighbouring numbers s between which a switch changes its sign, ascending.
struct PathBreaks {
  static constexpr std::size_t kMost = 32;
  std::size_t count = 0;
  std::array<std::pair<double, double>, kMost> bracket{};

  [[nodiscard]] bool empty() const { return count == 0; }
};

// Looks at some points of the path, 0 ≤ s ≤ 1, for changes of sign, then halves. evaluate(s, values) gives all
// switches at s. One that changes twice between two of the points is not seen. The vectors are workspace of as
// many numbers as there are switches.
template <class Evaluate>
[[nodiscard]] PathBreaks find_breaks(const Evaluate& evaluate, std::vector<double>& before,
                                     std::vector<double>& after, std::vector<double>& middle) {
  constexpr int kPoints = 16;
  PathBreaks breaks;
  evaluate(0.0, before);
  for (int k = 1; k <= kPoints; ++k) {
    const double to = static_cast<double>(k) / kPoints;
    evaluate(to, after);
    for (std::size_t j = 0; j < before.size(); ++j) {
      const bool sign = before[j] < 0;
      if (sign == (after[j] < 0) || breaks.count == PathBreaks::kMost) continue;
      double low = static_cast<double>(k - 1) / kPoints;
      double high = to;
      for (double half = 0.5 * (low + high); half > low && half < high; half = 0.5 * (low + high)) {
        evaluate(half, middle);
        ((middle[j] < 0) == sign ? low : high) = half;
      }
      breaks.bracket[breaks.count++] = {low, high};
    }
    before.swap(after);
  }
  std::sort(breaks.bracket.begin(),
            breaks.bracket.begin() + static_cast<std::ptrdiff_t>(breaks.count));
  return breaks;
}

}  // namespace lilyan
