// How far the invariants of a run have moved from where they started.
#pragma once

#include "lilyan/core/state.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/core/system.hpp"

namespace lilyan {

// A deviation |Q − Q₀| and the size it is measured against.
struct Deviation {
  double now = 0;
  double worst = 0;
  double scale = 0;

  [[nodiscard]] double relative() const { return scale > 0 ? now / scale : now; }
  [[nodiscard]] double worst_relative() const { return scale > 0 ? worst / scale : worst; }
  void archive(Archive& a) { a(now, worst, scale); }
};

// The angular momentum that a system keeps.
struct SpinInvariant {
  enum class About {
    nothing,    // no part of it
    any_point,  // that of a free system, about any point where the linear momentum is kept as well
    point,      // all of it about one fixed vertex
    axis,       // the part along the line through all fixed vertices
  };
  About about = About::nothing;
  Vec3 point = Vec3::Zero();
  Vec3 axis = Vec3::Zero();

  [[nodiscard]] bool any() const { return about != About::nothing; }
};
// By Noether's theorem, with the fixed vertices where x has them.
[[nodiscard]] SpinInvariant spin_invariant(const System& system, const Vector& x);
// "angular momentum", "angular momentum about the fixed vertex", "… about the fixed axis".
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
  DriftTracker(const System& system, const State& initial, const Invariants& start);
  // work: done by external forces since the start; it does not count as a change of the energy.
  void add(const Invariants& at, double work = 0);

  [[nodiscard]] const Deviation& energy() const { return energy_; }
  [[nodiscard]] const Deviation& linear_momentum() const { return linear_; }
  [[nodiscard]] const Deviation& angular_momentum() const { return angular_; }
  [[nodiscard]] const Invariants& start() const { return start_; }
  // What the deviation of the angular momentum is about.
  [[nodiscard]] const SpinInvariant& spin() const { return kept_; }
  void archive(Archive& a) { a(start_, center_, spin_, energy_, linear_, angular_); }

 private:
  [[nodiscard]] Vec3 spin_of(const Invariants& at) const;

  SpinInvariant kept_;
  Invariants start_;
  Vec3 center_ = Vec3::Zero();
  Vec3 spin_ = Vec3::Zero();  // initial angular momentum about center_
  Deviation energy_, linear_, angular_;
};

}  // namespace lilyan
