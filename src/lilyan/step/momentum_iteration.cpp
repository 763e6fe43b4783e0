// The iterations of MomentumSolve: for soft bodies with AVF's matrix, and for stiff ones with the matrix (2).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lilyan/step/momentum_parts.hpp"
#include "lilyan/step/momentum_solve.hpp"

namespace lilyan {
namespace {

using momentum_parts::size_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMatrixLasts = 8;  // solves with AVF's matrix that do not converge fast
constexpr double kFast = 1e-3;   // contraction that these are expected to reach
constexpr double kNoUse = 0.3;   // contraction after that, even with the iterate's own
constexpr double kMayBeLast = 100;

// Of soft bodies.
constexpr int kMostSoft = 40;
constexpr double kDiverged = 100;       // growth of the residual
constexpr double kSoftAccuracy = 1e-3;  // of iterative solutions

// Rounding error may be what is left of an equation as far as the stiffness tells, but not beyond this.
constexpr double kMayBeRounding = 1e-9;  // relative velocity error

// Of stiff bodies. Directions of Anderson's mixing do not shrink every time. After so many that have not halved the
// best one it is rounding error that is left, if it may be, and otherwise there is no end to be seen.
constexpr int kMostSolves = 60;
constexpr int kMostSetbacks = 12;     // directions that have grown
constexpr double kLeastShare = 0.02;  // of a direction, after some of these
constexpr double kGrown = 2;          // what is a setback
constexpr double kFarGrown = 1e6;     // what is one although the residual has become smaller
constexpr int kPatience = 8;
constexpr int kMostPatience = 16;
// Iterative solutions for stiff bodies give the balanced stress, whose errors act on the inertia as many times as
// sound crosses the body in a step. Beyond so many times the rounding of a matrix in single precision does, too.
constexpr double kBalancedAccuracy = 0.3;
constexpr double kLeastAccuracy = 1e-8;
constexpr double kMostAccuracy = 1e-2;
constexpr double kManyCrossings = 300;
constexpr double kCalm = 0.01;  // M⁻¹ r beside the lengths in a body

}  // namespace

// With AVF's matrix, or at last a new one that is kept as well: Anderson's mixing takes the directions of one and
// the same linear map. The residual may grow for a while.
class MomentumSolve::SoftIteration {
 public:
  SoftIteration(MomentumSolve& solve, const Step& step, MomentumEquation& equation, Iterate& at,
                StepReport& report)
      : solve_(solve), step_(step), equation_(equation), at_(at), report_(report) {}

  StepStatus run() {
    evaluate();
    first_ = last_ = best_ = renewed_at_ = norm_;
    solve_.work_.best = at_.z;
    solve_.mixing_.forget();
    const int most = std::min(kMostSoft, solve_.options_.newton.max_iterations);
    for (int k = 0; k < most; ++k) {
      if (solve_.options_.newton.stop_asked()) return StepStatus::stopped;
      if (!keep_matrix() || (renewed_ && known_ >= kMatrixLasts && best_ > kNoUse * first_)) break;
      defect_ = equation_.defect(at_);
      if (!(defect_.share > equation_.target())) return finish(StepStatus::converged);
      if (is_best() && good_enough() && known_ > 1 && norm_ > 0.5 * last_) break;
      // Of a body at rest there is nothing else to be found.
      at_rounding_ = size_ <= solve_.rounding_of(at_.z) && norm_ > 0.5 * last_;
      if (at_rounding_ || !advance()) break;
    }
    return end();
  }

 private:
  void evaluate() {
    const bool defined = equation_.evaluate(at_);
    ++report_.solver_work.evaluations;
    norm_ = solve_.find_left(step_, equation_, at_);
    if (!defined || !std::isfinite(norm_)) norm_ = kInfinity;
  }

  // Where the iteration is lost or slow the matrix may be to blame: once more from the best iterate, with its own.
  // False where that has been tried.
  bool keep_matrix() {
    const bool lost = !std::isfinite(norm_) || norm_ > kDiverged * first_;
    if (lost && renewed_) return false;
    if (renewed_ || !(lost || (known_ >= kMatrixLasts && norm_ > kFast * renewed_at_))) return true;
    at_.z = solve_.work_.best;
    evaluate();
    renewed_at_ = norm_;
    renew_ = renewed_ = true;
    known_ = 0;
    solve_.mixing_.forget();
    return true;
  }

  bool is_best() {
    if (!(norm_ <= best_)) return false;
    best_ = norm_;
    best_share_ = defect_.share;
    best_at_rounding_ =
        known_ > 0 && defect_.velocity <= kMayBeRounding && equation_.at_rounding(at_);
    solve_.work_.best = at_.z;
    return true;
  }

  // Whether the best iterate is what was asked for, though not what was hoped for, or what rounding allows.
  [[nodiscard]] bool good_enough() const { return best_share_ <= 1 || best_at_rounding_; }

  // To the next iterate; false where there is no direction.
  bool advance() {
    Workspace& work = solve_.work_;
    if (!equation_.solve(at_,
                         {.renew = renew_,
                          .accuracy = kSoftAccuracy,
                          .last = kSoftAccuracy * defect_.share < kMayBeLast},
                         work.direction, report_.solver_work)) {
      if (renewed_) return false;
      known_ = kMatrixLasts;
      renewed_at_ = 0;
      return true;
    }
    renew_ = false;
    ++report_.solver_work.iterations;
    work.scratch = work.direction.head(work.d.size());
    size_ = size_of(solve_.system_, work.scratch);
    solve_.mixing_.advance(work.direction, 1, at_.z);
    ++known_;
    last_ = norm_;
    evaluate();
    return true;
  }

  // At the best iterate, which is as good as it gets.
  StepStatus end() {
    Workspace& work = solve_.work_;
    if (!at_rounding_ && !good_enough()) return StepStatus::not_converged;
    at_.z = work.best;
    evaluate();
    defect_ = equation_.defect(at_);
    if (!(defect_.share > 1)) return finish(StepStatus::converged);
    if (!best_at_rounding_) {
      work.scratch = work.d - solve_.here_.h * step_.start.v;
      if (!small_beside(solve_.system_, *solve_.here_.x0, size_,
                        size_of(solve_.system_, work.scratch))) {
        return StepStatus::drowned_in_rounding;
      }
    }
    return finish(equation_.closed(at_) ? StepStatus::round_off : StepStatus::not_converged);
  }

  StepStatus finish(StepStatus status) {
    if (succeeded(status)) report_.residual = std::max(report_.residual, defect_.velocity);
    return status;
  }

  MomentumSolve& solve_;
  const Step& step_;
  MomentumEquation& equation_;
  Iterate& at_;
  StepReport& report_;
  Defect defect_;
  double norm_ = kInfinity;
  double first_ = 0, last_ = 0, best_ = 0, renewed_at_ = 0;
  double best_share_ = kInfinity;
  bool best_at_rounding_ = false;
  double size_ = kInfinity;  // of the last direction
  int known_ = 0;            // iterates with this matrix
  bool renew_ = false, renewed_ = false;
  bool at_rounding_ = false;
};

// The iteration (3), and with AVF's matrix from its minimiser.
class MomentumSolve::StiffIteration {
 public:
  StiffIteration(MomentumSolve& solve, const Step& step, From from, MomentumEquation& equation,
                 Iterate& at, StepReport& report)
      : solve_(solve),
        step_(step),
        balanced_(from == From::rigid),
        equation_(equation),
        at_(at),
        report_(report),
        fresh_(balanced_) {}

  StepStatus run() {
    solve_.mixing_.forget();
    if (balanced_) {
      renew_stress(nullptr, nullptr);
    } else {
      // (Should AVF's matrix be lost, because contact has met new pairs, another one is assembled.)
      solve_.work_.d = at_.z.head(solve_.work_.d.size());
      renew_stress(&solve_.work_.d, nullptr);
    }
    const int most = std::min(kMostSolves, solve_.options_.newton.max_iterations);
    while (solves_ < most) {
      if (solve_.options_.newton.stop_asked()) return StepStatus::stopped;
      if (!evaluate()) {
        if (const auto lost = recover()) return *lost;
        continue;
      }
      if (const auto verdict = judge()) return finish(*verdict);
      if (!find_direction()) return StepStatus::not_definite;
      switch (assess()) {
        case Next::advance: advance(); break;
        case Next::again: break;
        case Next::stuck: return StepStatus::not_converged;
        case Next::lost: return StepStatus::no_descent;
      }
    }
    return StepStatus::not_converged;
  }

 private:
  enum class Next { advance, again, stuck, lost };

  // About a displacement, or at the start, with the direction y found there or without.
  void renew_stress(const Vector* d, const Vector* y) {
    Energies& energies = solve_.energies_;
    if (!y) std::ranges::fill(energies.stiffening, 1.0);
    solve_.assembler_.renew_stress(*solve_.here_.x0, d, y, energies.stiffening);
  }

  bool evaluate() {
    if (balanced_ && solve_.renews_) {
      solve_.work_.d = at_.z.head(solve_.work_.d.size());
      (void)equation_.stage().workspace().renew(step_.start, solve_.work_.d, solve_.here_.h);
    }
    const bool defined = equation_.evaluate(at_);
    ++report_.solver_work.evaluations;
    norm_ = solve_.find_left(step_, equation_, at_);
    return defined && std::isfinite(norm_);
  }

  // From the best iterate with a smaller share of its direction.
  bool go_back() {
    share_ *= 0.5;
    if (share_ < kLeastShare || ++setbacks_ > kMostSetbacks) return false;
    at_.z = solve_.work_.best + share_ * solve_.work_.best_direction;
    solve_.mixing_.forget();
    return true;
  }

  // From where the equation is not defined.
  std::optional<StepStatus> recover() {
    if (std::isfinite(best_.size)) {
      if (!go_back()) return StepStatus::no_descent;
      return {};
    }
    if (++setbacks_ > kMostSetbacks) return StepStatus::non_finite;
    solve_.system_.embedding().scale_free(0.5, at_.z.head(solve_.system_.dofs()));
    return {};
  }

  std::optional<StepStatus> judge() {
    defect_ = equation_.defect(at_);
    if (!(defect_.share > 1)) return StepStatus::converged;
    if (!last_ || !equation_.closed(at_)) return {};
    if (velocity_error_ <= solve_.options_.velocity_tolerance) return StepStatus::converged;
    Vector& change = solve_.work_.scratch;
    change = solve_.work_.d - solve_.here_.h * step_.start.v;
    return small_beside(solve_.system_, *solve_.here_.x0, best_.size,
                        size_of(solve_.system_, change))
               ? StepStatus::round_off
               : StepStatus::drowned_in_rounding;
  }

  // False when there is none, or it is not finite.
  bool find_direction() {
    Workspace& work = solve_.work_;
    if (balanced_) solve_.find_turns(work.d);
    if (balanced_ && norm_ > kCalm * solve_.lengths()) solve_.assembler_.forget_stress();
    const long fixes = report_.solver_work.definiteness_fixes;
    if (!solve_matrix()) return false;
    if (balanced_ && report_.solver_work.definiteness_fixes > fixes) {
      solve_.assembler_.forget_stress();
      if (!solve_matrix()) return false;
    }
    ++solves_;
    ++report_.solver_work.iterations;
    if (balanced_) {
      work.raw = work.direction.head(work.d.size());
      solve_.correct_rigidly(equation_, work.d, at_, work.direction);
    }
    work.scratch = work.direction.head(work.d.size());
    size_ = size_of(solve_.system_, work.scratch);
    const double h = solve_.here_.h;
    const double kinetic = 0.5 * std::pow(size_of(solve_.system_, work.d) / h, 2);
    velocity_error_ = 2 / std::abs(h) * size_ / std::sqrt(2 * std::max(step_.scale, kinetic));
    return std::isfinite(size_);
  }

  bool solve_matrix() {
    const double crossings = solve_.sound_.crossings;
    const double accuracy =
        std::clamp(kBalancedAccuracy / crossings, kLeastAccuracy, kMostAccuracy);
    return equation_.solve(at_,
                           {.renew = fresh_,
                            .accuracy = balanced_ ? accuracy : kSoftAccuracy,
                            .last = !balanced_,
                            .all_digits = crossings > kManyCrossings},
                           solve_.work_.direction, report_.solver_work);
  }

  // What the size of the direction says.
  Next assess() {
    const double floor = solve_.rounding_of(at_.z);
    const bool rounding = velocity_error_ <= kMayBeRounding && equation_.at_rounding(at_);
    remember(rounding);
    if ((rounding && velocity_error_ <= solve_.options_.velocity_tolerance) || size_ <= floor) {
      last_ = true;
    } else if (since_ >= kPatience && best_.at_rounding) {
      at_.z = solve_.work_.best;
      velocity_error_ = best_.error;
      last_ = true;
      return Next::again;
    } else if (since_ >= kMostPatience) {
      return Next::stuck;
    }
    // (What grows by so little may be rounding error.)
    if (!(size_ > kGrown * best_.size && !last_ && !best_.at_rounding)) return Next::advance;
    // Where strains are found first and turns later.
    if (norm_ < best_.norm && size_ < kFarGrown * best_.size) return Next::advance;
    if (fresh_) return go_back() ? Next::again : Next::lost;
    // The matrix may be to blame: on from the best iterate, with its own.
    at_.z = solve_.work_.best;
    fresh_ = true;
    solve_.mixing_.forget();
    best_.size = halved_ = kInfinity;
    best_.at_rounding = false;
    since_ = 0;
    solve_.work_.d = at_.z.head(solve_.work_.d.size());
    renew_stress(&solve_.work_.d, nullptr);
    return Next::again;
  }

  void remember(bool rounding) {
    if (size_ < best_.size) {
      best_ = {.size = size_, .error = velocity_error_, .norm = norm_, .at_rounding = rounding};
      solve_.work_.best = at_.z;
      solve_.work_.best_direction = solve_.work_.direction;
    }
    ++since_;
    if (best_.size <= 0.5 * halved_) {
      halved_ = best_.size;
      since_ = 0;
    }
  }

  void advance() {
    Workspace& work = solve_.work_;
    if (solves_ == 1) first_ = size_;
    if (!fresh_ && solves_ >= kMatrixLasts && size_ > kFast * first_) fresh_ = true;
    if (balanced_) {
      renew_stress(&work.d, &work.raw);
    } else if (fresh_) {
      solve_.assembler_.renew_stress(*solve_.here_.x0, &work.d, nullptr,
                                     solve_.energies_.stiffening);
    }
    solve_.mixing_.advance(work.direction, share_, at_.z);
  }

  StepStatus finish(StepStatus status) {
    if (succeeded(status)) {
      report_.residual = std::max(report_.residual, std::min(velocity_error_, defect_.velocity));
    }
    return status;
  }

  MomentumSolve& solve_;
  const Step& step_;
  const bool balanced_;
  MomentumEquation& equation_;
  Iterate& at_;
  StepReport& report_;
  Defect defect_;
  bool fresh_;               // a matrix for every direction
  bool last_ = false;        // the point at hand is as good as it gets
  double share_ = 1;         // of directions that is taken
  double norm_ = kInfinity;  // of the residual
  double size_ = 0;          // of the last direction, and as a relative velocity
  double velocity_error_ = kInfinity;
  double first_ = kInfinity;
  // The smallest direction: its size, that as a relative velocity, and the residual there.
  struct Best {
    double size = kInfinity, error = kInfinity, norm = kInfinity;
    bool at_rounding = false;
  };
  Best best_;
  double halved_ = kInfinity;  // size of the best one when it last was half of what it was
  int since_ = 0;              // directions after that
  int setbacks_ = 0;
  int solves_ = 0;
};

StepStatus MomentumSolve::solve(const Step& step, From from, MomentumEquation& equation,
                                Iterate& at, StepReport& report) {
  return energies_.any_strain ? StiffIteration(*this, step, from, equation, at, report).run()
                              : SoftIteration(*this, step, equation, at, report).run();
}

}  // namespace lilyan
