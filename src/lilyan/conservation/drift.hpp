// How far the invariants of a run have moved from where they started.
#pragma once

#include <vector>

#include "lilyan/conservation/kept.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

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

// What the deviations are compared with (the size S of conservation/kept.hpp):
//
// - The energy of a small system: the range of its kinetic or of its potential energy over the run, or a hundredth
//   of its largest kinetic energy (a planet on a circle exchanges nothing), or the work of forces. The kinetic energy
//   of a uniform motion does not count: it is a constant.
// - The energy of bodies: the largest of the initial kinetic, elastic and contact energy, the energy that gravity
//   gives when the body falls by its own radius, the energy of a strain of one in a million, and the work of forces;
//   for points in a potential also what kinetic and potential energy exchange. Gravity's zero is arbitrary, and so is
//   that of a potential.
// - Momenta of bodies: their initial size. A momentum that starts below a thousandth of what a motion of that
//   energy could carry is compared with that instead: √(2mE) for the linear momentum, √(2mE) times the body's
//   radius for the angular momentum.
//
// Angular momentum is taken about the initial centre of mass, so that a distant origin neither hides
// nor feigns a drift. Where the energy singles out the origin (a planet about its sun), it is taken
// about the origin; where vertices are fixed, about that vertex or along their axis.
class DriftTracker {
 public:
  // The system must outlive this.
  // promised_bounded: the method promises that the energy of this system swings in a band. The swings of
  // the kinetic energy then tell how much of the motion was seen: the energy's error is nearly a function
  // of the state, and comes back with it.
  DriftTracker(const System& system, const State& initial, const Invariants& start,
               bool promised_bounded = false);
  // work: done by external forces since the start; it does not count as a change of the energy.
  // rounding: energy that rounding errors of the step have taken or given.
  void add(const State& state, const Invariants& at, double work = 0, double rounding = 0);

  [[nodiscard]] const Deviation& energy() const { return energy_; }
  [[nodiscard]] const Deviation& linear_momentum() const { return linear_; }
  [[nodiscard]] const Deviation& angular_momentum() const { return angular_; }
  [[nodiscard]] const Invariants& start() const { return start_; }
  // What the deviation of the angular momentum is about.
  [[nodiscard]] const SpinInvariant& spin() const { return kept_; }
  void archive(Archive& a) {
    a(start_, center_, spin_, energy_, linear_, angular_, kinetic_, potential_, largest_terms_,
      grown_, rounded_, carried_, slowest_, fastest_);
    Archive::require(slowest_.size() == fastest_.size());
    Archive::require(in_space_ || static_cast<int>(slowest_.size()) == system_->dofs());
  }

 private:
  [[nodiscard]] Vec3 spin_of(const Invariants& at) const;
  void measure(const State& state, const Invariants& at, double deviation, double work);
  void leave_out_uniform_motion(const State& state);

  const System* system_;
  SpinInvariant kept_;
  bool in_space_;
  double mass_ = 0;  // of bodies
  double arm_ = 0;   // the largest distance from the origin at the start
  Invariants start_;
  Vec3 center_ = Vec3::Zero();
  Vec3 spin_ = Vec3::Zero();  // initial angular momentum about center_
  Deviation energy_, linear_, angular_;
  Course::Range kinetic_, potential_;  // so far
  double largest_terms_ = 0;           // of the energy, regardless of their signs
  double rounded_ = 0;                 // energy lost to rounding errors of steps
  double grown_ = 0;                   // by how much the energy was too large
  double carried_ =
      0;  // the largest kinetic energy of a uniform motion of coordinates that swing about it
  std::vector<double> slowest_, fastest_;  // velocities of a small system so far
};

}  // namespace lilyan
