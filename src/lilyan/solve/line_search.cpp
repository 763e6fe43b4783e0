#include "lilyan/solve/line_search.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

constexpr double kArmijo = 1e-4;  // share of the predicted decrease a step must reach
constexpr int kMaxTrials = 60;    // halvings of the step length, and lengthenings
constexpr double kStillSteep = 0.5;
constexpr double kFlat = 0.1;  // share of the first slope that is left near a minimum
constexpr double kStraight =
    0.02;  // share of the first slope by which slopes of a parabola may be off

// result = a + s b
void add_scaled(const Vector& a, double s, const Vector& b, Vector& result) {
  parallel_ranges(static_cast<int>(a.size()), [&](int first, int last) {
    const auto part = [&](auto& v) { return v.segment(first, last - first); };
    part(result) = part(a) + s * part(b);
  });
}

double slope_at(const Descent& search, const Iterate& point) {
  return search.objective.dot(point.residual, search.direction);
}

// Whether Φ is a parabola along the direction, with its minimum near the trial point, by its slopes
// alone. Then Φ must have fallen, and where its values say otherwise they are rounding error: of
// an energy like 1 − cos x, near its minimum, that nobody but its author knows the error of.
bool is_parabola(const Descent& search, const Iterate& trial, Iterate& middle) {
  const double end = slope_at(search, trial);
  if (!(std::abs(end) <= kFlat * -search.slope &&
        search.objective.norm(trial.residual) <= kFlat * search.at.norm)) {
    return false;
  }
  add_scaled(search.at.z, 0.5, search.direction, middle.z);
  search.evaluate(middle);
  return std::abs(slope_at(search, middle) - 0.5 * (search.slope + end)) <=
         kStraight * -search.slope;
}

// Where the predicted decrease drowns in the rounding error of Φ, the slope at the trial point decides
// instead: by the trapezoidal rule Φ changes by the mean of both slopes (Hager, Zhang 2005: "approximate
// Wolfe"), and the residual must shrink.
bool slopes_fall(const Descent& search, const Iterate& trial) {
  return slope_at(search, trial) <= (2 * kArmijo - 1) * search.slope &&
         search.objective.norm(trial.residual) < search.at.norm;
}

// From a length that was too much to the minimiser of a parabola, kept within [0.1, 0.5] of it.
double shorter(double length, double shrink) { return length * std::clamp(shrink, 0.1, 0.5); }

}  // namespace

double backtrack(const Descent& search, Iterate& trial, Iterate& scratch) {
  const auto& [objective, at, direction, slope, evaluate, rounding] = search;
  double length = std::min(1.0, objective.largest_step(at.z, direction));
  Objective::Rounding error;  // computed when first needed
  for (int k = 0; k < kMaxTrials && slope < 0; ++k) {
    add_scaled(at.z, length, direction, trial.z);
    evaluate(trial);
    const double change = trial.value - at.value;
    const bool finite = std::isfinite(trial.value);
    if (finite && change <= kArmijo * length * slope) return length;
    if (finite) {
      if (error.value == 0) error = rounding(trial.terms);
      if (-length * slope <= error.value && change <= error.value) {
        if (slopes_fall(search, trial)) return length;
        // (The bound of the error of Φ may be far too large. The residual says whether there is more to gain.)
        if (at.norm <= error.gradient) return 0;
      }
      if (k == 0 && is_parabola(search, trial, scratch)) return length;
    }
    // (Of the parabola through Φ(0), Φ'(0) and Φ(length).)
    length = shorter(length, finite ? -slope * length / (2 * (change - slope * length)) : 0.5);
  }
  return 0;
}

double lengthen(const Descent& search, Iterate& trial, Iterate& scratch) {
  double length = 1;
  for (int k = 0; k < kMaxTrials; ++k) {
    const double slope = slope_at(search, trial);
    if (slope > kStillSteep * search.slope) return length;
    // To where the slope would vanish if it went on changing as it did.
    const double change = slope - search.slope;
    const double factor = change > 0 ? std::clamp(-search.slope / change, 2.0, 10.0) : 10.0;
    if (factor * length > search.objective.largest_step(search.at.z, search.direction)) {
      return length;
    }
    add_scaled(search.at.z, factor * length, search.direction, scratch.z);
    search.evaluate(scratch);
    if (!(scratch.value < trial.value)) return length;
    length *= factor;
    swap(trial, scratch);
  }
  return length;
}

// The parabola of ‖F‖² has the slope −2‖F‖² at the start.
double lower_norm(const RootSearch& search, Iterate& trial) {
  const auto& [equation, at, direction, trials, evaluate] = search;
  double length = 1;
  for (int k = 0; k < trials; ++k) {
    equation.move(at.z, length, direction, trial.z);
    evaluate(trial);
    if (trial.norm <= (1 - kArmijo * length) * at.norm) return length;
    // At the level of rounding errors shorter steps lead nowhere.
    if (equation.judge_stuck(at)) return 0;
    const double ratio = trial.norm * trial.norm / (at.norm * at.norm);
    length = shorter(length, std::isfinite(ratio) ? length / (ratio - 1 + 2 * length) : 0.5);
  }
  return 0;
}

// Where the merit function's values are rounding errors ‖F‖ must shrink instead.
double lower_merit(const RootSearch& search, MeritFunction& merit, Iterate& trial) {
  const auto& [equation, at, direction, trials, evaluate] = search;
  const auto [slope, noise] = merit.begin_search(at, direction);
  const bool falls = slope < 0;
  if (!falls && !noise) return 0;
  double rounding = 0;  // computed when first needed
  double length = 1;
  for (int k = 0; k < trials; ++k) {
    equation.move(at.z, length, direction, trial.z);
    evaluate(trial);
    const bool finite = std::isfinite(trial.norm);
    const double change = finite ? merit.change(length, at, trial) : 0.0;
    const bool descends = falls && change <= kArmijo * length * slope;
    if (finite && (descends || (noise && k == 0 && trial.norm < at.norm))) return length;
    if (!falls) return 0;
    if (finite) {
      if (rounding == 0) rounding = merit.rounding(at, trial);
      if (-length * slope <= rounding && change <= rounding) {
        if (trial.norm < at.norm) return length;
        if (noise) return 0;
      }
    }
    length = shorter(length, finite ? -slope * length / (2 * (change - slope * length)) : 0.5);
  }
  return 0;
}

}  // namespace lilyan
