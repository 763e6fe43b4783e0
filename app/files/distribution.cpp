#include "app/files/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {

Distribution Collector::distribution() const {
  if (values_.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(values_);
  return distribution(*least, *most);
}

Distribution Collector::distribution(double low, double high) const {
  Distribution d;
  d.low = low;
  d.high = high;
  if (values_.empty()) return d;
  const auto [least, most] = std::ranges::minmax_element(values_);
  d.least = *least;
  d.most = *most;
  const auto bins = static_cast<double>(d.bins.size());
  for (const double v : values_) {
    d.mean += v / static_cast<double>(values_.size());
    const double at = high > low ? (v - low) / (high - low) * bins : 0;
    // Coordinates near the end of a double's range make lengths infinite and ratios no number.
    const double bin = std::isfinite(at) ? std::clamp(std::floor(at), 0.0, bins - 1) : 0;
    ++d.bins[static_cast<std::size_t>(bin)];
  }
  return d;
}

}  // namespace lilyan
