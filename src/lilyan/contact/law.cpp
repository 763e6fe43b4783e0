#include "lilyan/contact/law.hpp"

#include <cmath>

namespace lilyan {

PenaltyMean penalty_mean(double k, double d0, double d1) {
  PenaltyMean m;
  const double half = 0.5 * k;
  if (d0 < 0 && d1 < 0) {
    m = {.value = half * (d0 * d1 + 0.5 * d1 * d1), .first = half * (d0 + d1), .second = half};
  } else if (d1 < 0) {
    const double u = d1 - d0;
    const double log_part = d0 > 0 ? d0 * d0 * std::log(-u / d0) : 0.0;
    m.value = half * (0.5 * (u * u - d0 * d0) + 2 * d0 * (u + d0) + log_part);
    m.first = half * d1 * d1 / u;
    m.second = half * d1 * (d1 - 2 * d0) / (u * u);
  } else if (d0 < 0) {
    const double u = d1 - d0;
    m.value = -half * d0 * d0 * std::log(u / -d0);
    m.first = -half * d0 * d0 / u;
    m.second = half * d0 * d0 / (u * u);
  }
  return m;
}

}  // namespace lilyan
