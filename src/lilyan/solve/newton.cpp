#include "lilyan/solve/newton.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/direction.hpp"

namespace lilyan {
namespace {

constexpr double kArmijo = 1e-4;           // share of the predicted decrease a step must reach
constexpr int kMaxTrials = 60;             // halvings of the step length
constexpr double kReuseContraction = 0.2;  // keep the factor while a full step shrinks ‖r‖ by this
constexpr double kFirstAccuracy = 0.1;     // relative error of an iterative linear solution
constexpr double kBestAccuracy = 1e-5;
constexpr double kMayBeLast = 100;  // error expected after a step, relative to what is allowed
constexpr double kPoorContraction = 0.9;
constexpr int kPatience = 10;  // steps of that kind before directions are found in another way
constexpr double kStillSteep = 0.5;
constexpr double kFlat = 0.1;  // share of the first slope that is left near a minimum
constexpr double kStraight =
    0.02;  // share of the first slope by which slopes of a parabola may be off
constexpr double kAfterPoor = 1e-3;
constexpr double kShareOfGoal = 0.02;  // share of the error that is allowed at the end

// The accuracy of the next direction, given how much the last one shrank the residual: a linear model
// is worth solving as far as it agrees with the function (Eisenstat, Walker 1996, choice 2).
double next_accuracy(double contraction) {
  if (contraction > kPoorContraction) return kAfterPoor;  // the direction itself may be to blame
  return std::clamp(0.9 * contraction * contraction, kBestAccuracy, kFirstAccuracy);
}

// result = a + s b
void add_scaled(const Vector& a, double s, const Vector& b, Vector& result) {
  parallel_ranges(static_cast<int>(a.size()), [&](int first, int last) {
    const auto part = [&](auto& v) { return v.segment(first, last - first); };
    part(result) = part(a) + s * part(b);
  });
}

}  // namespace

std::string_view name(Definiteness definiteness) {
  return definiteness == Definiteness::project ? "project" : "shift";
}

double Objective::dot(const Vector& a, const Vector& b) const {
  return parallel_sum(static_cast<int>(a.size()), [&](int first, int last) {
    return a.segment(first, last - first).dot(b.segment(first, last - first));
  });
}

Newton::Newton(const BlockPattern& pattern, const NewtonOptions& options)
    : pattern_(pattern),
      options_(options),
      finder_(options.directions ? options.directions->make(pattern)
                                 : std::make_unique<DirectionFinder>(pattern, options.linear,
                                                                     options.definiteness)) {
  const auto all = static_cast<Eigen::Index>(pattern.dimension() * pattern.free_index().size());
  for (Vector* v : {&gradient_, &trial_gradient_, &trial_, &direction_, &diagonal_, &longer_,
                    &longer_gradient_}) {
    v->setZero(all);
  }
}

Newton::~Newton() = default;

std::string_view Newton::linear_name() const { return finder_->name(); }

void Newton::archive(Archive& a) { finder_->archive(a); }

NewtonResult Newton::minimise(Objective& objective, Vector& d) {
  NewtonResult result;
  const auto evaluate = [&](const Vector& at, Vector& gradient) {
    const Timer timer(times_.evaluation);
    ++result.work.evaluations;
    return objective.evaluate(at, gradient);
  };

  // Taken for an impulse on each vertex by itself, rounding errors displace by M⁻¹ gradient. A stiff body
  // hardly gives way to most of them: where that bound is too much, Newton's correction p says how far it does,
  // and M p stands for the gradient.
  const auto rounded_off = [&] {
    StepStatus status = rounded(objective, d);
    const Vector* masses = objective.masses();
    if (succeeded(status) || !masses ||
        !correct(objective, d, gradient_, {.accuracy = kShareOfGoal}, direction_, result.work)) {
      return status;
    }
    trial_gradient_ = masses->cwiseProduct(direction_);
    gradient_.swap(trial_gradient_);
    status = rounded(objective, d);
    gradient_.swap(trial_gradient_);
    return status;
  };

  objective.linearise(d);
  double phi = evaluate(d, gradient_);
  phi = pull_back(objective, d, phi, evaluate);
  if (!std::isfinite(phi)) {
    result.status = StepStatus::non_finite;
    return result;
  }

  if (objective.linearise(d)) phi = evaluate(d, gradient_);
  double norm = objective.norm(gradient_);
  bool stalled = false;  // the last step hardly shrank the residual
  bool accurate = true;  // its direction was exact, or nearly
  int poor = 0;          // steps in a row that did not shrink it
  DirectionSource::Request request{.accuracy = kFirstAccuracy};
  finder_->begin();
  has_matrix_ = false;
  while (true) {
    const double defect = objective.defect(d, gradient_);
    if (!(defect > 1)) return result;
    if (options_.stop_asked()) {
      result.status = StepStatus::stopped;
      return result;
    }
    if (result.work.iterations == options_.max_iterations) {
      result.status = StepStatus::not_converged;
      return result;
    }
    // Only a direction that was accurate proves that rounding is all that is left.
    if (stalled && at_rounding(objective, d, norm)) {
      if (accurate) {
        result.status = rounded_off();
        return result;
      }
      request.insist = std::max(request.insist, 1);
    }
    const long fixes = result.work.definiteness_fixes;
    // No more accurate than what is left to do asks for.
    request.accuracy = std::max(request.accuracy, std::min(kFirstAccuracy, kShareOfGoal / defect));
    request.last = request.accuracy * defect < kMayBeLast;
    if (!finder_->find(objective, d, gradient_, request, direction_, result.work, times_)) {
      result.status = StepStatus::not_definite;
      return result;
    }
    ++result.work.iterations;
    has_matrix_ = true;

    // Backtracking on Φ. Where the predicted decrease drowns in the rounding error of Φ, the slope
    // at the trial point decides instead: by the trapezoidal rule Φ changes by the mean of both
    // slopes (Hager, Zhang 2005: "approximate Wolfe"), and the residual must shrink.
    const double slope = objective.dot(gradient_, direction_);
    double length = 1;
    bool accepted = false;
    Objective::Rounding rounding;  // computed when first needed
    for (int k = 0; k < kMaxTrials && slope < 0; ++k) {
      add_scaled(d, length, direction_, trial_);
      const double trial_phi = evaluate(trial_, trial_gradient_);
      const double change = trial_phi - phi;
      const bool finite = std::isfinite(trial_phi);
      accepted = finite && change <= kArmijo * length * slope;
      if (finite && !accepted) {
        if (rounding.value == 0) {
          read_diagonal();
          rounding = objective.rounding(d, diagonal_);
        }
        if (-length * slope <= rounding.value && change <= rounding.value) {
          accepted = objective.dot(trial_gradient_, direction_) <= (2 * kArmijo - 1) * slope &&
                     objective.norm(trial_gradient_) < norm;
          if (!accepted) break;
        } else if (k == 0) {
          accepted = is_parabola(objective, d, slope, norm, evaluate);
        }
      }
      if (accepted) {
        phi = trial_phi;
        break;
      }
      // Minimiser of the parabola through Φ(0), Φ'(0), Φ(length), kept within [0.1, 0.5]·length.
      const double shrink = finite ? -slope * length / (2 * (change - slope * length)) : 0.5;
      length *= std::clamp(shrink, 0.1, 0.5);
    }

    if (accepted && length == 1 &&
        (finder_->truncated() || result.work.definiteness_fixes > fixes)) {
      length = lengthen(objective, d, phi, slope, evaluate);
    }
    if (!accepted) {
      const bool exact = finder_->factorised() && !request.reuse;
      if ((exact || request.insist > 0) && at_rounding(objective, d, norm)) {
        result.status = rounded_off();
        return result;
      }
      // An old factor may be to blame, or an iterative solution.
      if (exact || request.insist > 1) {
        result.status = StepStatus::no_descent;
        return result;
      }
      if (!request.reuse) ++request.insist;
      request.reuse = false;
      continue;
    }
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    if (objective.linearise(d)) phi = evaluate(d, gradient_);
    const double new_norm = objective.norm(gradient_);
    poor = new_norm > kPoorContraction * norm ? poor + 1 : 0;
    accurate = finder_->factorised() || request.insist > 0;
    request = {
        .reuse = options_.reuse_factor && length == 1 && new_norm <= kReuseContraction * norm &&
                 finder_->factorised(),
        // (Of a direction that could not be taken in full, more digits would not have been any use.)
        .accuracy = length < 1 ? kFirstAccuracy : next_accuracy(new_norm / norm),
        .insist = poor >= kPatience && !finder_->truncated() ? 2 : 0,
        .definite = poor >= kPatience && finder_->truncated()};
    stalled = new_norm > 0.5 * norm;
    norm = new_norm;
  }
}

bool Newton::correct(Objective& objective, const Vector& d, const Vector& residual,
                     const Correction& request, Vector& direction, SolverWork& work) {
  const bool found = finder_->find(objective, d, residual,
                                   {.same_matrix = has_matrix_ && !request.renew,
                                    .accuracy = request.accuracy,
                                    .last = request.last,
                                    .all_digits = request.all_digits},
                                   direction, work, times_);
  has_matrix_ = found;
  return found;
}

// Whether Φ is a parabola along the direction, with its minimum near the trial point, by its slopes
// alone. Then Φ must have fallen, and where its values say otherwise they are rounding error: of
// an energy like 1 − cos x, near its minimum, that nobody but its author knows the error of.
template <class Evaluate>
bool Newton::is_parabola(const Objective& objective, const Vector& d, double slope, double norm,
                         const Evaluate& evaluate) {
  const double end = objective.dot(trial_gradient_, direction_);
  if (!(std::abs(end) <= kFlat * -slope && objective.norm(trial_gradient_) <= kFlat * norm)) {
    return false;
  }
  add_scaled(d, 0.5, direction_, longer_);
  evaluate(longer_, longer_gradient_);
  const double middle = objective.dot(longer_gradient_, direction_);
  // The objective remembers where it was evaluated last, which has to be at the result.
  evaluate(trial_, trial_gradient_);
  return std::abs(middle - 0.5 * (slope + end)) <= kStraight * -slope;
}

// A modified Hessian can be far stiffer than Φ is along the direction, most of all where Φ curves
// down, near a saddle: goes on along it while Φ falls as steeply as at the start. Returns the
// length.
template <class Evaluate>
double Newton::lengthen(const Objective& objective, const Vector& d, double& phi, double slope,
                        const Evaluate& evaluate) {
  double length = 1;
  for (int k = 0; k < kMaxTrials; ++k) {
    const double slope_there = objective.dot(trial_gradient_, direction_);
    if (slope_there > kStillSteep * slope) return length;
    // To where the slope would vanish if it went on changing as it did.
    const double change = slope_there - slope;
    const double factor = change > 0 ? std::clamp(-slope / change, 2.0, 10.0) : 10.0;
    add_scaled(d, factor * length, direction_, longer_);
    const double longer_phi = evaluate(longer_, longer_gradient_);
    if (!(longer_phi < phi)) {
      // The objective remembers where it was evaluated last, which has to be at the result.
      evaluate(trial_, trial_gradient_);
      return length;
    }
    length *= factor;
    phi = longer_phi;
    trial_.swap(longer_);
    trial_gradient_.swap(longer_gradient_);
  }
  return length;
}

// The guess is pulled back towards d = 0, the start of the step, while that lowers Φ: constant
// velocity overshoots by far where the motion is stiff, and may invert elements, where Φ is
// infinite. This halves the iterations of a lively body and costs one evaluation otherwise.
template <class Evaluate>
double Newton::pull_back(const Objective& objective, Vector& d, double phi,
                         const Evaluate& evaluate) {
  double share = 0.5;
  for (int k = 0; k < kMaxTrials; ++k) {
    // (Prescribed displacements of fixed vertices are not a guess.)
    trial_ = d;
    if (k + 1 == kMaxTrials) share = 0;
    parallel_ranges(pattern_.dofs(), [&](int first, int last) {
      for (int c = first; c < last; ++c) trial_[pattern_.dof(c)] *= share;
    });
    // The slope of Φ(t d) at t = 1.
    const double slope = objective.dot(gradient_, d);
    const double trial_phi = evaluate(trial_, trial_gradient_);
    if (std::isfinite(phi) && !(trial_phi < phi)) return phi;
    d.swap(trial_);
    gradient_.swap(trial_gradient_);
    if (share == 0) return trial_phi;
    // Where the parabola through both values and the slope has its minimum, seen from the trial
    // point; at zero when that is beyond the start.
    const double rise = slope * (1 - share) - (phi - trial_phi);
    share = std::isfinite(rise) && rise > 0
                ? std::clamp((1 - slope * (1 - share) * (1 - share) / (2 * rise)) / share, 0.0, 0.5)
                : 0.5;
    phi = trial_phi;
  }
  return phi;
}

// How a solve ends in which only rounding errors are left.
StepStatus Newton::rounded(const Objective& objective, const Vector& d) const {
  return objective.rounding_is_harmless(d, gradient_) ? StepStatus::round_off
                                                      : StepStatus::drowned_in_rounding;
}

bool Newton::at_rounding(const Objective& objective, const Vector& d, double norm) {
  read_diagonal();
  return norm <= objective.rounding(d, diagonal_).gradient;
}

void Newton::read_diagonal() {
  for (int c = 0; c < pattern_.dofs(); ++c) {
    diagonal_[pattern_.dof(c)] = finder_->hessian()[pattern_.column_start()[c]];
  }
}

}  // namespace lilyan
