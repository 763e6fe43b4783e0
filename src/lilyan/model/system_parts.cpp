#include "lilyan/model/system_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lilyan {
namespace {
constexpr double kForever = std::numeric_limits<double>::infinity();
}

void Force::add_between_jumps(const TimeSpan& between, double t, const double* x, const double* v,
                              double* force) const {
  const double first = std::nextafter(between.begin, kForever);
  const double last = std::nextafter(between.end, -kForever);
  add(std::max(first, std::min(t, last)), x, v, force);
}

void Force::add_within_step(const TimeSpan& step, double t, const double* x, const double* v,
                            int dofs, double* force) const {
  const std::span<const double> all = jumps();
  if (all.empty()) return add(t, x, v, force);
  const auto [begin, end] = std::minmax(step.begin, step.end);
  const auto first = std::ranges::upper_bound(all, begin);
  const auto last = std::max(first, std::ranges::lower_bound(all, end));
  double jump = first == all.begin() ? -kForever : *(first - 1);
  if (first == last) {
    const double next = last == all.end() ? kForever : *last;
    return add_between_jumps({jump, next}, t, x, v, force);
  }
  thread_local std::vector<double> piece;
  piece.resize(static_cast<std::size_t>(dofs));
  const double share = (t - begin) / (end - begin);
  double from = begin;
  for (auto next = first; from < end; ++next) {
    const double next_jump = next == all.end() ? kForever : *next;
    const double until = next < last ? *next : end;
    const double length = until - from;
    std::ranges::fill(piece, 0.0);
    add_between_jumps({jump, next_jump}, from + share * length, x, v, piece.data());
    for (int i = 0; i < dofs; ++i) {
      force[i] += length / (end - begin) * piece[static_cast<std::size_t>(i)];
    }
    from = until;
    jump = next_jump;
  }
}

}  // namespace lilyan
