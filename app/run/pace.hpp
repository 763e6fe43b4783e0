// How fast a motion may be shown: so that one can follow it.
#pragma once

#include <span>
#include <vector>

namespace lilyan {

struct Scene;

// The fastest oscillation of a motion goes through no more periods in a second.
inline constexpr double kPeriodsASecond = 1;

// How often a curve goes up through its mean.
[[nodiscard]] double ups_through_mean(std::span<const double> values);

// The period of the fastest oscillation among some curves over the same times; 0 where none goes up through its mean
// at least twice.
[[nodiscard]] double shortest_period(std::span<const double> times,
                                     std::span<const std::vector<double>> curves);

// The period of the fastest oscillation of a small system, found by a trial of the run's first part, which takes a
// tenth of a second at most; 0 where there is none, and for bodies.
[[nodiscard]] double shortest_period(const Scene& scene);

}  // namespace lilyan
