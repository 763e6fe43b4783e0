#include "lilyan/solve/direction.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

constexpr int kSmall = 100;  // nodes below which a factor costs next to nothing
constexpr int kFirstHold = 8;
constexpr int kLongestHold = 512;
// Iterations that are not worth finding out what a factor would cost, and as many as make sense at
// all.
constexpr int kUnquestioned = 100;
constexpr int kMostIterations = 5000;
// Seconds per operation of a factorisation, and of what comes with each entry of the factor; of a
// solve with it; of an iteration of conjugate gradients: on any machine in about these proportions
// (bench/notes.md). Cholesky makes a new factor only for a share of its directions, but needs more
// of them.
constexpr double kFactorFlop = 1 / 30e9;
constexpr double kFactorEntry = 10e-9;
constexpr double kSolveFlop = 1 / 3e9;
constexpr double kIterationFlop = 1 / 5e9;
constexpr double kFactorsPerDirection = 0.75;
constexpr double kSolvesPerDirection = 1.5;
// The coarse matrix is renewed when a solve takes this many times the iterations it took at first.
constexpr double kOutdated = 1.5;

}  // namespace

DirectionFinder::DirectionFinder(const BlockPattern& pattern, LinearChoice choice,
                                 Definiteness definiteness)
    : pattern_(pattern),
      choice_(choice),
      definiteness_(definiteness),
      hessian_(pattern.storage()),
      right_(pattern.dofs()),
      solution_(pattern.dofs()),
      positions_(pattern.dofs()),
      masses_(pattern.dofs()),
      next_hold_(kFirstHold) {
  const bool points = pattern.dimension() == 3 && pattern.nodes() > 0;
  if (choice == LinearChoice::pcg && !points) {
    throw Error("the linear solver pcg is for systems of points in space that can move");
  }
  if (choice == LinearChoice::automatic && (!points || pattern.nodes() < kSmall)) {
    choice_ = LinearChoice::cholesky;
  }
  // A run's first step should not be the one to wait for this.
  if (choice_ == LinearChoice::cholesky) {
    cholesky();
  } else {
    pcg_ = std::make_unique<Pcg>(pattern);
    last_ = LinearKind::pcg;
  }
}

LinearSolver& DirectionFinder::cholesky() {
  if (!cholesky_) cholesky_ = make_cholesky(pattern_);
  asked_cholesky_ = true;
  return *cholesky_;
}

std::string_view DirectionFinder::name() const {
  return last_ == LinearKind::pcg || !cholesky_ ? "pcg" : cholesky_->name();
}

void DirectionFinder::archive(Archive& a) {
  a(choice_, last_, hold_, next_hold_, asked_cholesky_);
  // Where conjugate gradients had the last word a factor may wait until it is needed.
  if (a.loading() && asked_cholesky_ && last_ == LinearKind::cholesky) cholesky();
}

void DirectionFinder::begin() { renew_ = true; }

bool DirectionFinder::find(const LocalModel& model, const Vector& gradient, const Request& request,
                           Vector& direction, SolverWork& work, NewtonTimes& times) {
  parallel_ranges(pattern_.dofs(), [&](int first, int last) {
    for (int c = first; c < last; ++c) right_[c] = -gradient[pattern_.dof(c)];
  });
  truncated_ = false;
  if (request.same_matrix && !factorised()) {
    if (!again(request, work, times)) return false;
  } else if (!((request.reuse || request.same_matrix) && factorised())) {
    bool exact = choice_ == LinearChoice::cholesky;
    if (choice_ == LinearChoice::automatic) {
      exact = hold_ > 0 || request.insist > 1;
      if (hold_ > 0) --hold_;
    }
    const bool found =
        exact ? by_factor(model, request, work, times) : by_iteration(model, request, work, times);
    if (!found) return false;
  }
  if (factorised()) {
    const Timer timer(times.counter(&NewtonTimes::solve));
    cholesky_->solve(right_, solution_);
  }
  parallel_ranges(pattern_.dofs(), [&](int first, int last) {
    for (int c = first; c < last; ++c) direction[pattern_.dof(c)] = solution_[c];
  });
  return true;
}

bool DirectionFinder::by_factor(const LocalModel& model, const Request& request, SolverWork& work,
                                NewtonTimes& times) {
  try {
    const bool done =
        factorise_definite(model, pattern_, definiteness_, cholesky(), hessian_, work, times);
    last_ = LinearKind::cholesky;
    return done;
  } catch (const Error&) {  // too large for the memory, say
    if (choice_ != LinearChoice::automatic) throw;
    choice_ = LinearChoice::pcg;
    cholesky_.reset();
    asked_cholesky_ = false;
    return by_iteration(model, request, work, times);
  }
}

bool DirectionFinder::by_iteration(const LocalModel& model, const Request& request,
                                   SolverWork& work, NewtonTimes& times) {
  last_ = LinearKind::pcg;
  spent_ = 0;
  const bool solved =
      with_definite_hessian(model, pattern_, definiteness_, request.definite, hessian_, work, times,
                            [&] { return attempt(model, request, work, times); });
  if (solved && end_ == PcgEnd::converged) {
    next_hold_ = kFirstHold;
    return true;
  }
  if (choice_ == LinearChoice::pcg) return solved;  // as far as it got
  hold_ = next_hold_;
  next_hold_ = std::min(2 * next_hold_, kLongestHold);
  return by_factor(model, request, work, times);
}

// One try with the matrix at hand; false when it is not positive definite.
bool DirectionFinder::attempt(const LocalModel& model, const Request& request, SolverWork& work,
                              NewtonTimes& times) {
  {
    const Timer timer(times.counter(&NewtonTimes::factorisation));
    const Vector* x = model.positions();
    const Vector* mass = model.mass() ? &model.mass()->diagonal() : nullptr;
    parallel_ranges(pattern_.dofs(), [&](int first, int last) {
      for (int c = first; c < last; ++c) {
        const int dof = pattern_.dof(c);
        positions_[c] = x ? (*x)[dof] + 0.5 * model.z[dof] : 0.0;  // half-way, where forces act
        if (mass) masses_[c] = (*mass)[dof];
      }
    });
    end_ = PcgEnd::not_definite;
    if (!pcg_->prepare(
            {hessian_.data(), static_cast<std::size_t>(pattern_.entries())}, positions_, renew_,
            mass ? &masses_ : nullptr,
            request.all_digits ? BlockMatrix::Digits::all : BlockMatrix::Digits::single)) {
      return false;
    }
  }
  const Timer timer(times.counter(&NewtonTimes::solve));
  const double accuracy = request.insist > 0 ? 1e-3 * request.accuracy : request.accuracy;
  pcg_->start(right_);
  end_ = pcg_->run(accuracy, kUnquestioned);
  if (end_ == PcgEnd::exhausted) end_ = pcg_->run(accuracy, iteration_limit() - spent_);
  work.linear_iterations += pcg_->iterations();
  spent_ += pcg_->iterations();
  // With the masses at hand, what there is so far is a good direction: better than what a matrix modified
  // all over the body gives, and cheaper.
  if (end_ == PcgEnd::not_definite && model.mass() && pcg_->iterations() > 0 &&
      definiteness_ == Definiteness::project) {
    end_ = PcgEnd::converged;
    truncated_ = true;
    pcg_->solution(solution_);
    return true;
  }
  // Where a factor would have been found by now, it is no use to go on with other matrices.
  if (end_ == PcgEnd::not_definite) {
    const bool give_up =
        choice_ == LinearChoice::automatic && spent_ > kUnquestioned && spent_ > iteration_limit();
    if (give_up) end_ = PcgEnd::exhausted;
    return give_up;
  }
  if (request.last) pcg_->correct_rigid_motions();
  pcg_->solution(solution_);
  const double effort = pcg_->iterations() / std::log(1 / accuracy);
  if (renew_) renewed_effort_ = effort;
  renew_ = effort > kOutdated * renewed_effort_ + 1;
  return true;
}

// Conjugate gradients with the matrix that they have been prepared for.
bool DirectionFinder::again(const Request& request, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.counter(&NewtonTimes::solve));
  pcg_->start(right_);
  end_ = pcg_->run(request.accuracy, kMostIterations);
  work.linear_iterations += pcg_->iterations();
  if (end_ != PcgEnd::converged) return false;
  if (request.last) pcg_->correct_rigid_motions();
  pcg_->solution(solution_);
  return true;
}

int DirectionFinder::iteration_limit() {
  if (choice_ == LinearChoice::automatic) {
    try {
      cholesky();
    } catch (const Error&) {
      choice_ = LinearChoice::pcg;
    }
  }
  if (choice_ == LinearChoice::pcg) return kMostIterations;
  const double entries = 0.25 * cholesky_->solve_flops();
  const double factor = kFactorFlop * cholesky_->factor_flops() + kFactorEntry * entries;
  const double solve = kSolveFlop * cholesky_->solve_flops();
  const double iterations = (kFactorsPerDirection * factor + kSolvesPerDirection * solve) /
                            (kIterationFlop * pcg_->work());
  return static_cast<int>(std::clamp(iterations, 0.0, double{kMostIterations}));
}

}  // namespace lilyan
