#include "lilyan/solve/convergence.hpp"

#include <algorithm>

namespace lilyan {
namespace {

constexpr double kReuseContraction = 0.2;  // keep the factor while a full step shrinks ‖r‖ by this
constexpr double kFirstAccuracy = 0.1;     // relative error of an iterative linear solution
constexpr double kBestAccuracy = 1e-5;
constexpr double kShareOfGoal = 0.02;  // share of the error that is allowed at the end
constexpr double kMayBeLast = 100;     // error expected after a step, relative to what is allowed
constexpr double kPoorContraction = 0.9;
constexpr int kPatience = 10;  // steps of that kind before directions are found in another way
constexpr double kAfterPoor = 1e-3;
constexpr int kRootPatience = 25;
constexpr double kRootProgress = 0.9;

// The accuracy of the next direction, given how much the last one shrank the residual: a linear model
// is worth solving as far as it agrees with the function (Eisenstat, Walker 1996, choice 2).
double next_accuracy(double contraction) {
  if (contraction > kPoorContraction) return kAfterPoor;  // the direction itself may be to blame
  return std::clamp(0.9 * contraction * contraction, kBestAccuracy, kFirstAccuracy);
}

}  // namespace

const DirectionSource::Request& DescentProgress::ask(double defect) {
  request_.all_digits = precise_;
  // No more accurate than what is left to do asks for.
  request_.accuracy = std::max(request_.accuracy, std::min(kFirstAccuracy, kShareOfGoal / defect));
  request_.last = request_.accuracy * defect < kMayBeLast;
  return request_;
}

void DescentProgress::moved(double length, double contraction, const DirectionSource& source) {
  poor_ = contraction > kPoorContraction ? poor_ + 1 : 0;
  accurate_ = source.factorised() || request_.insist > 0;
  request_ = {
      .reuse =
          reuse_factor_ && length == 1 && contraction <= kReuseContraction && source.factorised(),
      // (Of a direction that could not be taken in full, more digits would not have been any use.)
      .accuracy = length < 1 ? kFirstAccuracy : next_accuracy(contraction),
      .insist = poor_ >= kPatience && !source.truncated() ? 2 : 0,
      .definite = poor_ >= kPatience && source.truncated()};
  stalled_ = contraction > 0.5;
}

bool DescentProgress::ask_better(const DirectionSource& source) {
  if (exact(source) || request_.insist > 1) return false;
  if (!request_.reuse) ++request_.insist;
  request_.reuse = false;
  return true;
}

void DescentProgress::insist() { request_.insist = std::max(request_.insist, 1); }

bool RootProgress::creeps(double norm) {
  ++since_;
  if (norm <= kRootProgress * best_) {
    best_ = norm;
    since_ = 0;
  }
  return since_ == kRootPatience;
}

}  // namespace lilyan
