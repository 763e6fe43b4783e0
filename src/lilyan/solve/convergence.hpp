// What the iterations so far say about those that follow.
#pragma once

#include "lilyan/solve/direction.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

// Of a minimisation: which directions to ask for, and whether they can be trusted.
class DescentProgress {
 public:
  explicit DescentProgress(const NewtonOptions& options)
      : reuse_factor_(options.reuse_factor && !options.precise), precise_(options.precise) {}

  // The next direction, with this defect left to do.
  const DirectionSource::Request& ask(double defect);
  // A step along the direction was taken: its length, and the norm of the residual after it over before.
  void moved(double length, double contraction, const DirectionSource& source);
  // No step along the direction helped. An old factor may be to blame, or an iterative solution: false when it
  // was exact.
  bool ask_better(const DirectionSource& source);

  // Whether the last step hardly shrank the residual. Only if its direction was accurate that proves that rounding
  // is all that is left.
  [[nodiscard]] bool stalled() const { return stalled_; }
  [[nodiscard]] bool accurate() const { return accurate_; }
  void insist();
  // Whether a direction that does not help was accurate.
  [[nodiscard]] bool trusts(const DirectionSource& source) const {
    return exact(source) || request_.insist > 0;
  }

 private:
  [[nodiscard]] bool exact(const DirectionSource& source) const {
    return source.factorised() && !request_.reuse;
  }

  bool reuse_factor_;
  bool precise_;
  bool stalled_ = false;
  bool accurate_ = true;
  int poor_ = 0;  // steps in a row that did not shrink the residual
  DirectionSource::Request request_{.accuracy = 0.1};
};

// Of a root find. One that gets stuck does not stop: it creeps, and is given up when many iterations together
// shrink ‖F‖ by less than a tenth.
class RootProgress {
 public:
  explicit RootProgress(double norm) : best_(norm) {}
  // Whether the step that led to this norm was one too many.
  bool creeps(double norm);

 private:
  double best_;    // at the last iteration that counted as progress
  int since_ = 0;  // iterations after it
};

}  // namespace lilyan
