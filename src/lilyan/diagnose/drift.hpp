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

// Scales: energy is compared with the largest of |H₀|, the initial kinetic and elastic energies,
// and what gravity gives when the body falls by its own radius. Momenta are compared with their
// initial size; a momentum that starts at (almost) zero is compared with what a motion of that
// energy could carry: √(2mH) for the linear, that times the body's radius for the angular one.
class DriftTracker {
 public:
  DriftTracker(const System& system, const State& initial, const Invariants& start);
  void add(const Invariants& at);

  [[nodiscard]] const Deviation& energy() const { return energy_; }
  [[nodiscard]] const Deviation& linear_momentum() const { return linear_; }
  [[nodiscard]] const Deviation& angular_momentum() const { return angular_; }
  [[nodiscard]] const Invariants& start() const { return start_; }

 private:
  Invariants start_;
  Deviation energy_, linear_, angular_;
};

}  // namespace lilyan
