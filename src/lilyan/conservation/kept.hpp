// The verdict on a quantity that a run should keep: conserved, bounded, undecided, or it drifts.
//
// The verdict follows from three things: from the values of the deviation d = Q − Q₀ over the run, from the
// size that d is compared with, and from what the method promises.
//
//   The size S is what Q's parts exchange: the largest change of one part that the others make up for. Of an
//   energy these are kinetic and potential energy. A constant that is added to Q changes nothing. What d itself
//   adds to a part does not count. DriftTracker says what S is where nothing is exchanged, and for bodies.
//   The rounding R is what the rounding errors of Q's terms can add up to. A large constant makes it large.
//
//   1. d is not a number somewhere: Q drifts.
//   2. R is above 1e-3 S, and |d| never above R: undecided, as rounding hides what there is to see.
//   3. |d| is never above 1e-9 S, or never above R: Q is conserved.
//   4. d swings in a steady band: Q is bounded, however wide the band is. Steady means that d has swung five
//      times or more, that the line fitted to it rises by at most a fifth of the band, and that d comes near
//      both edges of the band in each quarter of the run. A loss that happens once, a growth of any kind and a
//      decay all miss an edge.
//   5. The method promises a band, and the motion has swung five times or more. Then d may leave its first
//      values: Q is bounded if the second half of the run does not widen the band of the first one, if the
//      line through the whole run or its second half is flat, and if d comes back to half of its largest
//      value or never exceeds 0.2 S. It is undecided if the band still widens, but slowly, and its edges do not
//      move the same way from each quarter of the run to the next: so do beats, and modes that get out of step.
//   6. The method promises a band, and the motion has swung less: undecided, if the line through d rises by no
//      more than a wave of so many swings can make it rise, d is never above 4 S, and d has not taken off. It
//      has taken off when its last quarter widens its band far more than the motion itself has widened.
//   7. Without a promise: undecided if d has turned back, has swung less than five times, its line rises by at
//      most half of its band, and the second half of the run has widened the band little.
//   8. Q drifts otherwise.
#pragma once

#include <string_view>

#include "lilyan/conservation/course.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

// How a quantity that nature keeps was kept by a run.
enum class Kept {
  conserved,  // to rounding errors and tolerances
  bounded,    // it swings in a steady band, as symplectic methods let it
  undecided,  // the run is too short to tell a swing from a drift, or rounding errors hide it
  drifts,     // none of these
};
[[nodiscard]] std::string_view name(Kept kept);

// A relative deviation below this counts as conserved.
inline constexpr double kConserved = 1e-9;

// R: what the rounding errors of terms of this size add up to, at both ends and in so many steps.
[[nodiscard]] double rounding_of(double terms, double steps);

// The share of the kinetic energy of a small system that counts where its parts exchange less.
inline constexpr double kPartOfKinetic = 1e-2;

// What a deviation is compared with.
enum class SizeOf {
  start,            // the quantity at the start
  exchange,         // what its parts exchange
  part_of_kinetic,  // a hundredth of the largest kinetic energy
  kinetic,          // the largest kinetic energy
  work,             // what forces have done
  initial_kinetic,
  initial_elastic,
  initial_contact,
  fall,    // of the body by its own radius
  strain,  // of one in a million
  motion,  // what a motion of the body's energy could carry
};
struct Size {
  double value = 0;
  SizeOf of = SizeOf::start;
};

// A deviation d = Q − Q₀, its values over time, and the size it is measured against.
struct Deviation {
  double now = 0;    // |d|
  double worst = 0;  // the largest |d|
  // S and R of the rule, what S is, and |Q₀| where the reader may know d better as a share of it.
  double exchange = 0;
  SizeOf of = SizeOf::exchange;
  double rounding = 0;
  double start = 0;
  double largest_kinetic = 0;  // of a small system, growth not counted
  Course course;               // of d; of its length for vectors
  Swings swings;               // of d
  // Whether the method promises that d swings in a band.
  bool promised_bounded = false;
  // The kinetic energy: d is nearly a function of the state, and comes back with it. Empty: d itself tells how
  // often the motion has swung.
  Course motion;
  Swings motion_swings;

  // Takes in the deviation at time t.
  void add(double t, double deviation);
  void add_motion(double t, double kinetic);
  // S is at least so large: parts of Q have exchanged `parts`, of which growth of Q is `grown` at most.
  void exchanges(double parts, double grown, SizeOf what = SizeOf::exchange);

  enum class Why { plain, rounding, hidden, widens, once };
  struct Judgement {
    Kept kept;
    Why why = Why::plain;
  };
  [[nodiscard]] Judgement judge() const;
  [[nodiscard]] Kept kept() const { return judge().kept; }
  // What numbers are shown as shares of: S, or the kinetic energy where its parts exchange little of it; but |Q₀|
  // where it is neither a small difference of that nor mostly a constant.
  [[nodiscard]] Size size() const;
  // d as a share of size().
  [[nodiscard]] double share(double d) const {
    const double s = size().value;
    return s > 0 ? d / s : d;
  }
  [[nodiscard]] double relative() const { return share(now); }
  [[nodiscard]] double worst_relative() const { return share(worst); }
  [[nodiscard]] double relative_band() const { return share(course.band()); }
  [[nodiscard]] double relative_drift() const { return share(course.rise()); }
  void archive(Archive& a) {
    a(now, worst, exchange, of, rounding, start, largest_kinetic, course, swings, motion,
      motion_swings);
  }

 private:
  [[nodiscard]] bool steady() const;
  [[nodiscard]] bool stays() const;
  [[nodiscard]] bool widens_slowly() const;
  [[nodiscard]] bool took_off() const;
};

}  // namespace lilyan
