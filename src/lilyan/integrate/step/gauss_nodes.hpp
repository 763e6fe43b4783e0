// How many Gauss points a step of an adaptive quadrature uses.
#pragma once

#include <vector>

#include "lilyan/core/quadrature.hpp"

namespace lilyan {

// Steps that follow one another need about the same number of points. More are added within a step
// until its error is below the tolerance; one fewer is tried when the last step was far more
// accurate than asked for, and after a try that failed only some steps later, each failure doubling
// the wait.
class GaussNodes {
 public:
  static constexpr int kMost = 64;

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const std::vector<Node>& nodes() {
    const auto n = static_cast<std::size_t>(count_);
    if (rules_.size() <= n) rules_.resize(n + 1);
    if (rules_[n].empty()) rules_[n] = gauss(count_).nodes;
    return rules_[n];
  }

  void begin_step() { tried_ = 0; }
  // After a solve with an error of `ratio` times the tolerance: true when that will do, false when
  // the step is to be solved again with count() points, now more.
  bool accept(double ratio) {
    if (tried_++ == 0) {
      first_count_ = count_;
      stagnant_ = 0;
    } else {
      // Gauss points gain digits at a steady rate; where they do not, only rounding errors are
      // left.
      stagnant_ = ratio > 0.5 * last_ratio_ ? stagnant_ + 1 : 0;
    }
    last_ratio_ = ratio;
    used_ = count_;
    if (stagnant_ == 2) {
      count_ = first_count_;
      return true;
    }
    if (ratio <= 1 || count_ == kMost) {
      plan_next(ratio);
      return true;
    }
    if (tried_ == 1 && fewer_tried_) {
      wait_ = failed_wait_;
      failed_wait_ = failed_wait_ < 1000 ? 2 * failed_wait_ : failed_wait_;
    }
    ++count_;
    return false;
  }
  [[nodiscard]] int used() const { return used_; }

 private:
  void plan_next(double ratio) {
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
  int first_count_ = 2;
  int tried_ = 0;
  int stagnant_ = 0;
  double last_ratio_ = 0;
  bool fewer_tried_ = false;
  int wait_ = 0;
  int failed_wait_ = 4;
  std::vector<std::vector<Node>> rules_;
};

}  // namespace lilyan
