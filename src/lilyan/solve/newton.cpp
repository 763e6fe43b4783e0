#include "lilyan/solve/newton.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/convergence.hpp"
#include "lilyan/solve/direction.hpp"
#include "lilyan/solve/line_search.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {
namespace {

constexpr int kMaxPulls = 60;
constexpr int kTimed = 32;  // unknowns of the smallest system that does not notice the clock
constexpr double kRoundedAccuracy = 0.02;  // of a correction that tells how far rounding displaces

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
    : pattern_(pattern), options_(options), finder_(make_finder()), version_(pattern.version()) {
  times_.timed = pattern.dofs() >= kTimed;
  const auto all = static_cast<Eigen::Index>(pattern.dimension() * pattern.free_index().size());
  trial_.resize(all);
  further_.resize(all);
  for (Vector* v : {&direction_, &diagonal_, &impulse_}) v->setZero(all);
}

Newton::~Newton() = default;

std::unique_ptr<DirectionSource> Newton::make_finder() const {
  if (options_.directions) return options_.directions->make(pattern_);
  return std::make_unique<DirectionFinder>(pattern_, options_.linear, options_.definiteness);
}

void Newton::follow_pattern() {
  if (version_ == pattern_.version()) return;
  std::string learned;
  Archive saved(&learned);
  finder_->archive(saved);
  finder_ = make_finder();
  Archive loaded{std::string_view(learned)};
  finder_->archive(loaded);
  has_matrix_ = false;
  version_ = pattern_.version();
}

std::string_view Newton::linear_name() const { return finder_->name(); }

void Newton::archive(Archive& a) { finder_->archive(a); }

void Newton::evaluate(const LocalModel& model, Iterate& at, SolverWork& work) {
  const Timer timer(times_.counter(&NewtonTimes::evaluation));
  ++work.evaluations;
  model.objective.evaluate(model.forces, at);
}

NewtonResult Newton::minimise(const Objective& objective, Linearised& forces, Iterate& at,
                              double slack) {
  follow_pattern();
  NewtonResult result;
  SolverWork& work = result.work;
  const auto end = [&](StepStatus status) {
    result.status = status;
    return result;
  };
  at.residual.resize(at.z.size());
  const LocalModel here{objective, forces, at.z};
  const auto arrive = [&] {
    if (objective.linearise(at.z, forces)) evaluate(here, at, work);
    at.norm = objective.norm(at.residual);
  };
  objective.linearise(at.z, forces);
  start(here, at, work);
  if (!std::isfinite(at.value)) return end(StepStatus::non_finite);
  arrive();
  DescentProgress progress(options_);
  finder_->begin();
  has_matrix_ = false;
  while (true) {
    result.defect = objective.defect(at.z, at.residual);
    const double defect = result.defect.share / slack;
    if (!(defect > 1)) return end(StepStatus::converged);
    if (options_.stop_asked()) return end(StepStatus::stopped);
    if (work.iterations == options_.max_iterations) return end(StepStatus::not_converged);
    if (progress.stalled() && at_rounding(here, at.norm)) {
      if (progress.accurate()) return end(rounded_off(here, at.residual, work));
      progress.insist();
    }
    const long fixes = work.definiteness_fixes;
    if (!find_direction(here, at.residual, defect, progress, work)) {
      return end(StepStatus::not_definite);
    }
    ++work.iterations;
    has_matrix_ = true;
    const bool modified = finder_->truncated() || work.definiteness_fixes > fixes;
    const double length = find_step(here, at, modified, work);
    if (length == 0) {
      if (progress.trusts(*finder_) && at_rounding(here, at.norm)) {
        return end(rounded_off(here, at.residual, work));
      }
      if (!progress.ask_better(*finder_)) return end(StepStatus::no_descent);
      continue;
    }
    const double norm = at.norm;
    swap(at, trial_);
    arrive();
    progress.moved(length, at.norm / norm, *finder_);
  }
}

// A direction that runs into walls is found anew with these in its way, as long as it goes down.
bool Newton::find_direction(const LocalModel& here, const Vector& residual, double defect,
                            DescentProgress& progress, SolverWork& work) {
  DirectionSource::Request request = progress.ask(defect);
  if (here.objective.widen_pattern(here.z)) {
    follow_pattern();
    request.reuse = false;
  }
  constexpr int kMostWalls = 6;  // times that walls change
  if (!finder_->find(here, residual, request, direction_, work, times_)) return false;
  if (!options_.precise) return true;
  for (int k = 0; k < kMostWalls && here.objective.find_walls(here.z, direction_) > 0; ++k) {
    follow_pattern();
    impulse_ = residual;
    here.objective.add_walls(impulse_);
    diagonal_ = direction_;
    const bool found = finder_->find(here, impulse_, request, direction_, work, times_);
    if (found && here.objective.dot(residual, direction_) < 0) continue;
    direction_ = diagonal_;
    break;
  }
  here.objective.forget_walls();
  return true;
}

// The length of a step along the direction, to trial_; zero where none helps.
double Newton::find_step(const LocalModel& here, const Iterate& at, bool modified,
                         SolverWork& work) {
  const auto try_out = [&](Iterate& point) { evaluate(here, point, work); };
  const auto rounding = [&](double terms) {
    read_diagonal();
    return here.objective.rounding(here.z, terms, diagonal_);
  };
  const Descent search{.objective = here.objective,
                       .at = at,
                       .direction = direction_,
                       .slope = here.objective.dot(at.residual, direction_),
                       .evaluate = try_out,
                       .rounding = rounding};
  const double length = backtrack(search, trial_, further_);
  return length == 1 && modified ? lengthen(search, trial_, further_) : length;
}

bool Newton::correct(const LocalModel& model, const Vector& residual, const Correction& request,
                     Vector& direction, SolverWork& work) {
  model.objective.widen_pattern(model.z);
  follow_pattern();
  const bool found = finder_->find(model, residual,
                                   {.same_matrix = has_matrix_ && !request.renew,
                                    .accuracy = request.accuracy,
                                    .last = request.last,
                                    .all_digits = request.all_digits},
                                   direction, work, times_);
  has_matrix_ = found;
  return found;
}

// The guess is pulled back towards d = 0, the start of the step, while that lowers Φ: constant
// velocity overshoots by far where the motion is stiff, and may invert elements, where Φ is
// infinite. This halves the iterations of a lively body and costs one evaluation otherwise.
void Newton::start(const LocalModel& model, Iterate& at, SolverWork& work) {
  evaluate(model, at, work);
  double share = 0.5;
  for (int k = 0; k < kMaxPulls; ++k) {
    // (Prescribed displacements of fixed vertices are not a guess.)
    trial_.z = at.z;
    if (k + 1 == kMaxPulls) share = 0;
    parallel_ranges(pattern_.dofs(), [&](int first, int last) {
      for (int c = first; c < last; ++c) trial_.z[pattern_.dof(c)] *= share;
    });
    // The slope of Φ(t d) at t = 1.
    const double slope = model.objective.dot(at.residual, at.z);
    evaluate(model, trial_, work);
    if (std::isfinite(at.value) && !(trial_.value < at.value)) return;
    swap(at, trial_);
    if (share == 0) {
      if (std::isfinite(at.value) || !options_.precise) return;
      trial_.z = at.z;
      if (!model.objective.free_start(trial_.z)) return;
      evaluate(model, trial_, work);
      if (std::isfinite(trial_.value)) swap(at, trial_);
      return;
    }
    // Where the parabola through both values and the slope has its minimum, seen from the trial
    // point; at zero when that is beyond the start.
    const double rise = slope * (1 - share) - (trial_.value - at.value);
    share = std::isfinite(rise) && rise > 0
                ? std::clamp((1 - slope * (1 - share) * (1 - share) / (2 * rise)) / share, 0.0, 0.5)
                : 0.5;
  }
}

// How a solve ends in which only rounding errors are left. Taken for an impulse on each vertex by itself, they
// displace by M⁻¹ gradient. A stiff body hardly gives way to most of them: where that bound is too much, Newton's
// correction p says how far it does, and M p stands for the gradient.
StepStatus Newton::rounded_off(const LocalModel& here, const Vector& gradient, SolverWork& work) {
  const Objective& objective = here.objective;
  if (objective.rounding_is_harmless(here.z, gradient)) return StepStatus::round_off;
  const Mass* mass = here.mass();
  if (!mass || !correct(here, gradient, {.accuracy = kRoundedAccuracy}, direction_, work)) {
    return StepStatus::drowned_in_rounding;
  }
  mass->apply(direction_, impulse_);
  return objective.rounding_is_harmless(here.z, impulse_) ? StepStatus::round_off
                                                          : StepStatus::drowned_in_rounding;
}

bool Newton::at_rounding(const LocalModel& here, double norm) {
  follow_pattern();
  read_diagonal();
  return norm <= here.objective.rounding(here.z, 0, diagonal_).gradient;
}

void Newton::read_diagonal() {
  for (int c = 0; c < pattern_.dofs(); ++c) {
    diagonal_[pattern_.dof(c)] = finder_->hessian()[pattern_.column_start()[c]];
  }
}

}  // namespace lilyan
