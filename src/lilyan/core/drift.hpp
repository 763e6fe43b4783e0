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
};

// Energy is compared with the largest of the initial kinetic and elastic energies and what gravity
// gives when the body falls by its own radius: not with |H₀|, since gravity's zero is arbitrary.
// Momenta are compared with their initial size; one that starts below a thousandth of what a motion
// of that energy could carry is compared with the latter: √(2mE) for the linear, that times the
// body's radius for the angular one. Angular momentum is taken about the initial centre of mass, so
// that a distant origin neither hides nor feigns a drift (about the origin where the energy singles
// it out: a planet about its sun).
class DriftTracker {
 public:
  DriftTracker(const System& system, const State& initial, const Invariants& start);
  // work: done by external forces since the start, which energy then owes nothing for.
  void add(const Invariants& at, double work = 0);

  [[nodiscard]] const Deviation& energy() const { return energy_; }
  [[nodiscard]] const Deviation& linear_momentum() const { return linear_; }
  [[nodiscard]] const Deviation& angular_momentum() const { return angular_; }
  [[nodiscard]] const Invariants& start() const { return start_; }

 private:
  Invariants start_;
  Vec3 center_ = Vec3::Zero();
  Vec3 spin_ = Vec3::Zero();  // initial angular momentum about center_
  Deviation energy_, linear_, angular_;
};

}  // namespace lilyan
