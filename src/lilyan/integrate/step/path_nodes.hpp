// How many points a step of an adaptive quadrature uses.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "lilyan/core/archive.hpp"
#include "lilyan/core/quadrature.hpp"
#include "lilyan/core/share.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// The energy error of a mean is compared with this: the energy or, for a body at rest whose energies
// are nothing but rounding errors, that of moving by 1e-8 of its size within the step.
[[nodiscard]] inline double mean_scale(const System& system, const Vector& x, double h,
                                       double energy) {
  constexpr double kNoMotion = 1e-8;
  const double least =
      0.5 * kNoMotion * kNoMotion / (h * h) * sum_over(system, [&](int first, int last) {
        return system.mass()
            .segment(first, last - first)
            .dot(x.segment(first, last - first).cwiseAbs2());
      });
  return std::max(energy, least);
}

// Steps that follow one another need about the same number of points. More are added within a step
// until its error is below the tolerance; one fewer is tried when the last step was far more
// accurate than asked for, and after a try that failed only some steps later, each failure doubling
// the wait.
//
// Gauss points gain digits at a steady rate, which tells how many are missing. Where a path comes close to
// a singularity (J → 0) that rate is as small as 1.1 a point: then the number doubles, and beyond kMostGauss
// points the rule is tanh-sinh's, which crowds its points at the ends of the path, where bodies turn round.
class PathNodes {
 public:
  static constexpr int kMostGauss = 32;
  static constexpr int kMost = 160;
  // Errors above this part of the energy are not rounding errors, however little more points gain.
  static constexpr double kRounding = 1e-12;
  // Unless they stay the same however many points there are: near rest an energy's own rounding error may be
  // that large beside the little motion there is. Whatever else this was would be worse than a failed step.
  static constexpr double kPlateau = 1e-9;

  enum class Accuracy { reached, needs_more, missed };

  [[nodiscard]] int count() const { return count_; }
  PathNodes() : rules_(kMost + 1) {}
  [[nodiscard]] const std::vector<Node>& nodes() {
    const auto n = static_cast<std::size_t>(count_);
    // All of Gauss's at once: a later step should not be the one to make them.
    for (std::size_t k = 1; k <= kMostGauss && rules_[k].empty(); ++k) {
      rules_[k] = gauss(static_cast<int>(k)).nodes;
    }
    if (rules_[n].empty()) rules_[n] = tanh_sinh(count_).nodes;
    return rules_[n];
  }

  void begin_step() { tried_ = 0; }
  // After a solve that was wrong by `error` of the energy. With needs_more the step is to be solved again
  // with count() points; missed means that no number of points will do.
  Accuracy judge(double error, double tolerance) {
    const bool first = tried_++ == 0;
    if (first) {
      start_ = count_;
      stagnant_ = 0;
      unchanged_ = 0;
    } else {
      stagnant_ = error > 0.5 * last_error_ ? stagnant_ + 1 : 0;
      unchanged_ = std::abs(error - last_error_) <= 0.1 * error ? unchanged_ + 1 : 0;
    }
    const double gain = first ? 0 : last_error_ / error;
    const int added = count_ - used_;
    last_error_ = error;
    used_ = count_;
    if ((stagnant_ >= 2 && error <= kRounding) || (unchanged_ >= 2 && error <= kPlateau)) {
      count_ = start_;
      return Accuracy::reached;
    }
    if (error <= tolerance) {
      plan_next(error / tolerance);
      return Accuracy::reached;
    }
    if (count_ == kMost || !std::isfinite(error)) {
      count_ = std::min(start_, kMostGauss);
      return Accuracy::missed;
    }
    if (first && fewer_tried_) {
      wait_ = failed_wait_;
      failed_wait_ = failed_wait_ < 1000 ? 2 * failed_wait_ : failed_wait_;
    }
    count_ = std::min(count_ + (first ? 1 : missing(error / tolerance, gain, added)), kMost);
    return Accuracy::needs_more;
  }
  [[nodiscard]] int used() const { return used_; }
  void archive(Archive& a) {
    a(count_, used_, start_, fewer_tried_, wait_, failed_wait_);
    for (const int count : {count_, start_}) Archive::require(count >= 1 && count <= kMost);
  }
  // Whether this step was solved before, with fewer points.
  [[nodiscard]] bool tried() const { return tried_ > 0; }

 private:
  // How many points more bring the error down by `ratio`, if `added` points brought it down by `gain`; at
  // most as many as there are.
  [[nodiscard]] int missing(double ratio, double gain, int added) const {
    if (last_error_ <= kRounding) return 1;  // all that is left may be rounding
    const double rate = gain > 1 ? std::log(gain) / added : 0;
    return rate * count_ > std::log(ratio) ? std::max(1, int(std::ceil(std::log(ratio) / rate)))
                                           : count_;
  }

  void plan_next(double ratio) {
    count_ = std::min(count_, kMostGauss);
    fewer_tried_ = false;
    if (wait_ > 0) {
      --wait_;
    } else if (tried_ == 1 && ratio < kFarBelow && count_ > 1) {
      --count_;
      fewer_tried_ = true;
    }
  }

  static constexpr double kFarBelow = 1e-2;
  int count_ = 2;
  int used_ = 2;
  int start_ = 2;
  int tried_ = 0;
  int stagnant_ = 0;
  int unchanged_ = 0;
  double last_error_ = 0;
  bool fewer_tried_ = false;
  int wait_ = 0;
  int failed_wait_ = 4;
  std::vector<std::vector<Node>> rules_;
};

// Solves a step with more and more points until the energy error of its mean is below the tolerance.
// `solve` does so with the points it is given, puts the invariants at the end into its report, and
// returns false when it fails; `error` is the energy that the quadrature of that solve lost.
template <class Solve, class Error>
bool solve_with_enough_nodes(PathNodes& path, const System& system, const State& state, double h,
                             double tolerance, StepReport& report, const Solve& solve,
                             const Error& error) {
  path.begin_step();
  while (true) {
    if (!solve(path.nodes())) break;
    if (!std::isfinite(report.after.total)) return true;  // the caller says so
    const double size =
        mean_scale(system, state.x, h, std::max(report.before.scale(), report.after.scale()));
    const double lost = std::abs(error());
    const PathNodes::Accuracy accuracy = path.judge(lost == 0 ? 0 : lost / size, tolerance);
    report.nodes = path.used();
    if (accuracy == PathNodes::Accuracy::reached) return true;
    if (accuracy == PathNodes::Accuracy::missed) {
      report.status = StepStatus::mean_inaccurate;
      break;
    }
  }
  report.after = report.before;
  return false;
}

}  // namespace lilyan
