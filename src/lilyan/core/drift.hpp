// How far the invariants of a run have moved from where they started.
#pragma once

#include <string_view>

#include "lilyan/core/archive.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// Whether a quantity swings about a line or follows it: the straight line through all its values over
// time, fitted as they come, and the band they lie in.
class Trend {
 public:
  void add(double t, double value);

  // By how much the line rises from the first value's time to the last's.
  [[nodiscard]] double drift() const;
  [[nodiscard]] double band() const { return high_ - low_; }
  // What the line rises by is a small part of the band, as of a quantity that swings several times.
  [[nodiscard]] bool bounded() const;
  void archive(Archive& a) {
    a(count_, first_, last_, mean_t_, mean_, squares_, products_, low_, high_);
  }

 private:
  double count_ = 0;
  double first_ = 0, last_ = 0;  // times
  double mean_t_ = 0, mean_ = 0;
  double squares_ = 0;   // Σ (t − mean)²
  double products_ = 0;  // Σ (t − mean) (value − mean)
  double low_ = 0, high_ = 0;
};

// How many times a quantity has swung to and fro, from the turns that it made. A turn counts when the
// quantity has come back by a quarter of the band it moves in. Swings that a much wider band has made small
// do not count any more.
class Swings {
 public:
  void add(double value);
  [[nodiscard]] double count() const { return 0.5 * turns_; }  // a swing has two turns
  void archive(Archive& a) { a(begun_, rising_, turns_, low_, high_, extreme_, band_); }

 private:
  bool begun_ = false;
  bool rising_ = true;  // since the last turn
  double turns_ = 0;
  double low_ = 0, high_ = 0;
  double extreme_ = 0;  // the farthest value since the last turn
  double band_ = 0;     // when the counting began
};

// How a quantity that nature keeps was kept by a run.
enum class Kept {
  conserved,  // to rounding errors and tolerances
  bounded,    // it swings in a band, as symplectic methods let it
  undecided,  // the method promises a band, and the run is too short to tell a swing in it from a drift
  drifts,  // none of these
};
[[nodiscard]] std::string_view name(Kept kept);

// A relative deviation below this counts as conserved.
inline constexpr double kConserved = 1e-9;
// One above this is not called bounded, however it came about.
inline constexpr double kMostOfBounded = 0.2;

// A deviation |Q − Q₀| and the size it is measured against.
struct Deviation {
  double now = 0;
  double worst = 0;
  double scale = 0;
  Trend trend;  // of Q − Q₀; of its length for vectors
  // Whether the method promises that it swings in a band, and how many swings the motion has made.
  // The line through n swings of a wave rises by up to 1/n of the wave's band. One that rises by more is
  // a drift; below five swings, one that rises by less can be either.
  bool promised_bounded = false;
  double swings = 0;

  // Takes in the deviation at time t.
  void add(double t, double deviation);
  [[nodiscard]] Kept kept() const;
  // As a share of the scale.
  [[nodiscard]] double relative_band() const { return trend.band() / (scale > 0 ? scale : 1); }
  [[nodiscard]] double relative_drift() const { return trend.drift() / (scale > 0 ? scale : 1); }

  [[nodiscard]] double relative() const { return scale > 0 ? now / scale : now; }
  [[nodiscard]] double worst_relative() const { return scale > 0 ? worst / scale : worst; }
  void archive(Archive& a) { a(now, worst, scale, trend, swings); }
};

// The angular momentum that a system keeps.
struct SpinInvariant {
  enum class About {
    nothing,    // no part of it
    any_point,  // that of a free system, about any point where the linear momentum is kept as well
    point,      // all of it about one fixed point
    axis,  // the part along a fixed line: through all fixed points, or that of gravity through one
    direction,  // the part along a direction, about any line: that of gravity, or a plane's normal
  };
  About about = About::nothing;
  Vec3 point = Vec3::Zero();
  Vec3 axis = Vec3::Zero();

  [[nodiscard]] bool any() const { return about != About::nothing; }
  [[nodiscard]] bool at_point() const { return about == About::point || about == About::axis; }
};
// By Noether's theorem, with the fixed vertices where x has them. Constraints and gravity count as well.
[[nodiscard]] SpinInvariant spin_invariant(const System& system, const Vector& x);
// "angular momentum", "angular momentum about the fixed point", "… about the fixed axis".
[[nodiscard]] const char* describe_spin(const SpinInvariant& spin);

// Energy is compared with the largest of the initial kinetic energy, the initial elastic energy and
// the energy that gravity gives when the body falls by its own radius. It is not compared with |H₀|,
// since gravity's zero is arbitrary. Momenta are compared with their initial size. A momentum that
// starts below a thousandth of what a motion of that energy could carry is compared with that
// instead: √(2mE) for the linear momentum, √(2mE) times the body's radius for the angular momentum.
// Angular momentum is taken about the initial centre of mass, so that a distant origin neither hides
// nor feigns a drift. Where the energy singles out the origin (a planet about its sun), it is taken
// about the origin; where vertices are fixed, about that vertex or along their axis.
class DriftTracker {
 public:
  // promised_bounded: the method promises that the energy of this system swings in a band. The swings of
  // the kinetic energy then tell how much of the motion was seen: the energy's error is nearly a function
  // of the state, and comes back with it.
  DriftTracker(const System& system, const State& initial, const Invariants& start,
               bool promised_bounded = false);
  // At time t. work: done by external forces since the start; it does not count as a change of the energy.
  void add(double t, const Invariants& at, double work = 0);

  [[nodiscard]] const Deviation& energy() const { return energy_; }
  [[nodiscard]] const Deviation& linear_momentum() const { return linear_; }
  [[nodiscard]] const Deviation& angular_momentum() const { return angular_; }
  [[nodiscard]] const Invariants& start() const { return start_; }
  // What the deviation of the angular momentum is about.
  [[nodiscard]] const SpinInvariant& spin() const { return kept_; }
  void archive(Archive& a) { a(start_, center_, spin_, energy_, linear_, angular_, motion_); }

 private:
  [[nodiscard]] Vec3 spin_of(const Invariants& at) const;

  SpinInvariant kept_;
  Invariants start_;
  Vec3 center_ = Vec3::Zero();
  Vec3 spin_ = Vec3::Zero();  // initial angular momentum about center_
  Deviation energy_, linear_, angular_;
  Swings motion_;
};

}  // namespace lilyan
