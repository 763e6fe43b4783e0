// Solving a step anew with dissipation that depends on the step itself: friction on its pressure, damping on the
// middle of its motion.
#pragma once

#include <optional>

#include "lilyan/base/types.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/solve/anderson.hpp"
#include "lilyan/step/stage_equation.hpp"

namespace lilyan {

class Renewals {
 public:
  explicit Renewals(const System& system) : system_(system) {}

  // The step of the displacement d is solved, with what it was renewed from before. solve() does so anew and
  // returns false when it fails; so does this, and when what must settle does not.
  template <class Solve>
  bool settle(StageWorkspace& work, const State& start, double h, const Vector& d,
              StepReport& report, const Solve& solve) {
    double last = 0;
    for (int k = 0;; ++k) {
      const auto [change, unsettled] = work.renew(start, d, h);
      if (change <= kTolerance) return true;
      if (unsettled > kTolerance) {
        if (k == kMostThatSettle) {
          report.status = StepStatus::not_converged;
          return false;
        }
        mix(k, d);
        work.renew(start, at_, h);
      } else if (k == kMost || (k >= kLeast && change > 0.5 * last)) {
        return true;
      }
      last = change;
      if (!solve()) return false;
    }
  }

 private:
  static constexpr double kTolerance = 1e-3;  // relative change that is not worth another solve
  static constexpr int kLeast = 4;            // solves anew
  static constexpr int kMost = 12;            // as long as they help
  static constexpr int kMostThatSettle = 20;

  // Solving anew is a fixed-point iteration, which turns strongly damped bodies too far: the next step to renew
  // from is mixed from those before.
  void mix(int k, const Vector& d) {
    if (k == 0) {
      if (!mixing_) mixing_.emplace(system_, d.size());
      mixing_->forget();
      at_ = d;
      return;
    }
    further_ = d - at_;
    mixing_->advance(further_, 1, at_);
  }

  const System& system_;
  std::optional<AndersonMixing> mixing_;  // made when first needed
  Vector at_, further_;
};

}  // namespace lilyan
