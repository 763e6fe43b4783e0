// Straight line through points, least squares.
#pragma once

#include <cmath>
#include <vector>

namespace lilyan {

struct Fit {
  double slope = 0;
  double middle = 0;  // mean of y
  double band = 0;    // largest minus smallest deviation from the line
};

inline Fit fit(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mx += x[i] / n;
    my += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  Fit f{.slope = xy / xx, .middle = my};
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - my - f.slope * (x[i] - mx);
    low = std::fmin(low, off);
    high = std::fmax(high, off);
  }
  f.band = high - low;
  return f;
}

}  // namespace lilyan
