// How many points a step of an adaptive quadrature uses.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "lilyan/conservation/step_report.hpp"
#include "lilyan/numeric/path_rounding.hpp"
#include "lilyan/numeric/quadrature.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

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
  // drowned: more points are of no use, and rounding errors are too large to say more.
  enum class Accuracy { reached, needs_more, missed, drowned };

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
  // What errors of the energy are compared with. The zero of a potential is arbitrary: it counts as far as energy has
  // come from it, or gone to it, in the steps so far, with some room, as a motion may start at rest.
  double size(const Invariants& before, const Invariants& after) {
    constexpr double kRoom = 1e3;
    const auto known = [](const Invariants& i) {
      return std::max(
          {i.kinetic, std::abs(i.of(EnergyKind::elastic)), std::abs(i.of(EnergyKind::contact))});
    };
    const double change =
        std::abs(after.of(EnergyKind::potential) - before.of(EnergyKind::potential));
    exchanged_ = std::max({exchanged_, known(before), known(after), change});
    return std::min(std::max(before.scale(), after.scale()), kRoom * exchanged_);
  }
  // After a solve whose mean was wrong by `error`, of which `allowed` would be good enough. Beyond that an error
  // may be rounding: `floor` says how large that can be, and is asked for only then. It is rounding where it
  // is below the floor and more points do not make it smaller, or where it is below `plateau` and they do not
  // change it at all. With needs_more the step is to be solved again
  // with count() points; missed means that no number of points will do.
  template <class Floor>
  Accuracy judge(double error, double allowed, const Floor& floor, double plateau = 0) {
    const bool first = tried_++ == 0;
    if (first) {
      start_ = count_;
      below_ = {};
      unchanged_ = 0;
    } else {
      unchanged_ = std::abs(error - last_error_) <= 0.1 * error ? unchanged_ + 1 : 0;
    }
    const double gain = first ? 0 : last_error_ / error;
    const int added = count_ - used_;
    last_error_ = error;
    used_ = count_;
    if (error <= allowed) {
      plan_next(error / allowed < kFarBelow);
      return Accuracy::reached;
    }
    if (!std::isfinite(error)) return give_up(Accuracy::missed);
    const RoundingFloor rounding = floor();
    const bool below = error <= rounding.error;
    if (below) {
      const double share = error / rounding.error;
      const bool known = first && settled_.points > 0 && count_ >= settled_.points &&
                         share <= kAlike * settled_.largest;
      if (known || gains_nothing(share)) {
        if (rounding.error > rounding.ceiling) return give_up(Accuracy::drowned);
        if (!known) {
          settled_ = below_;
          count_ = below_.points;
        }
        plan_next(true);
        return Accuracy::reached;
      }
    }
    if (error <= plateau && unchanged_ >= 2) {
      count_ = std::min(start_, kMostGauss);
      return Accuracy::reached;
    }
    if (count_ == kMost) return give_up(Accuracy::missed);
    if (first && fewer_tried_) {
      wait_ = failed_wait_;
      failed_wait_ = failed_wait_ < 1000 ? 2 * failed_wait_ : failed_wait_;
    }
    const bool close = below || error <= plateau;
    const int more =
        first || close ? 1 : missing(error / std::max(allowed, rounding.error), gain, added);
    count_ = std::min(count_ + more, kMost);
    return Accuracy::needs_more;
  }
  [[nodiscard]] int used() const { return used_; }
  void archive(Archive& a) {
    a(count_, used_, start_, fewer_tried_, wait_, failed_wait_, settled_.points, settled_.largest,
      exchanged_);
    for (const int count : {count_, start_}) Archive::require(count >= 1 && count <= kMost);
  }
  // Whether this step was solved before, with fewer points.
  [[nodiscard]] bool tried() const { return tried_ > 0; }

 private:
  // How many points more bring the error down by `ratio`, if `added` points brought it down by `gain`; at
  // most as many as there are.
  [[nodiscard]] int missing(double ratio, double gain, int added) const {
    const double rate = gain > 1 ? std::log(gain) / added : 0;
    return rate * count_ > std::log(ratio) ? std::max(1, int(std::ceil(std::log(ratio) / rate)))
                                           : count_;
  }

  Accuracy give_up(Accuracy why) {
    count_ = std::min(start_, kMostGauss);
    settled_ = {};
    return why;
  }

  // Errors below the floor, as shares of it, from so many points on.
  struct Plateau {
    int points = 0;
    int tries = 0;
    double first = 0;
    double largest = 0;
  };
  // Whether some points more have not made such errors much smaller.
  bool gains_nothing(double share) {
    constexpr double kGain = 8;
    constexpr int kTries = 3;
    if (below_.tries == 0 || share * kGain < below_.first) {
      below_ = {.points = count_, .tries = 1, .first = share, .largest = share};
      return false;
    }
    below_.largest = std::max(below_.largest, share);
    return ++below_.tries >= kTries;
  }

  void plan_next(bool far_below) {
    count_ = std::min(count_, kMostGauss);
    fewer_tried_ = false;
    if (wait_ > 0) {
      --wait_;
    } else if (tried_ == 1 && far_below && count_ > 1) {
      --count_;
      fewer_tried_ = true;
    }
  }

  static constexpr double kFarBelow = 1e-2;
  static constexpr double kAlike = 4;
  int count_ = 2;
  int used_ = 2;
  int start_ = 2;
  int tried_ = 0;
  int unchanged_ = 0;
  Plateau below_;    // of this step
  Plateau settled_;  // that an earlier step ended on: steps that follow one another round alike
  double last_error_ = 0;
  double exchanged_ = 0;  // energy, at most
  bool fewer_tried_ = false;
  int wait_ = 0;
  int failed_wait_ = 4;
  std::vector<std::vector<Node>> rules_;
};

// Solves a step with more and more points until the energy error of its mean is below the tolerance, or is
// nothing but rounding. `solve` does so with the points it is given, puts the invariants at the end into its
// report, and returns false when it fails; `error` is the energy that the quadrature of that solve lost;
// `floor` gives what rounding may have to do with it, for a given energy of the step; `plateau` is PathBalance's.
template <class Solve, class Error, class Floor>
bool solve_with_enough_nodes(PathNodes& path, double tolerance, double plateau, StepReport& report,
                             const Solve& solve, const Error& error, const Floor& floor) {
  path.begin_step();
  while (true) {
    if (!solve(path.nodes())) break;
    if (!std::isfinite(report.after.total)) return true;  // the caller says so
    // Rounding errors know nothing of where a zero is.
    const double size = std::max(report.before.scale(), report.after.scale());
    const double allowed = tolerance * path.size(report.before, report.after);
    const double lost = std::abs(error());
    const PathNodes::Accuracy accuracy = path.judge(
        lost, allowed, [&] { return floor(size); }, plateau * size);
    report.nodes = path.used();
    report.rounding = lost > allowed ? lost : 0;
    if (accuracy == PathNodes::Accuracy::reached) return true;
    if (accuracy == PathNodes::Accuracy::needs_more) continue;
    report.status = accuracy == PathNodes::Accuracy::missed ? StepStatus::mean_inaccurate
                                                            : StepStatus::drowned_in_rounding;
    break;
  }
  report.after = report.before;
  return false;
}

// A mean that is exact loses nothing but rounding: books what it lost as that, as far as rounding explains it.
// `floor` as above.
template <class Floor>
void book_rounding(StepReport& report, const Floor& floor) {
  constexpr double kVisible = 1e-13;  // of the energy; the sums of all steps hide less than that
  if (!succeeded(report.status)) return;
  const double lost = std::abs(report.ledger.quadrature);
  const double size = std::max(report.before.scale(), report.after.scale());
  if (lost > kVisible * size && lost <= floor(size).error) report.rounding += lost;
}

}  // namespace lilyan
