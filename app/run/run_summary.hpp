// What came out of a run: numbers and texts for tables, messages and run.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/run/body_spins.hpp"
#include "app/run/contact_depth.hpp"
#include "app/run/contact_gap.hpp"
#include "app/run/tunnelling.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/saving/digest.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

enum class RunEnd {
  finished,     // all steps done
  event,        // an event of the scene ended it
  failed,       // a step could not be solved; everything up to it was handed out
  interrupted,  // the observer asked to stop, or a stop was asked for within a step
};
[[nodiscard]] std::string_view name(RunEnd end);

struct RunSummary {
  RunEnd end = RunEnd::finished;
  std::string message;  // why it failed, or which event ended it
  bool diverged =
      false;      // it failed because a step could not be solved, or not with finite numbers
  int steps = 0;  // done
  double t = 0;
  double wall_seconds = 0;
  double step_seconds = 0;       // of these, in the integrator
  double processor_seconds = 0;  // of the thread that made the run; 0: it was made by several
  SolverWork solver_work;
  int halved_steps = 0;    // steps that succeeded only in smaller pieces
  int rejected_steps = 0;  // given up for a shorter one by the step control
  double shortest_step = 0;
  double longest_step = 0;
  int round_off_steps = 0;  // steps solved to rounding error rather than to tolerance
  int fewest_points = 0;    // points of steps with an adaptive quadrature
  int most_points = 0;
  Invariants invariants;
  Ledger ledger;
  bool chooses_points = false;  // the method chooses its points of quadrature itself
  double worst_imbalance = 0;   // largest |H₁ − H₀ − ledger| of a step
  NewtonTimes times;
  std::string linear_solver;  // of the last step
  // Steps by which another linear solver had been taken, and which; the first hundred of them.
  struct SolverSwitch {
    int step = 0;
    std::string from, to;
    void archive(Archive& a) { a(step, from, to); }
  };
  std::vector<SolverSwitch> switches;
  Digest digest;  // of all states so far
  TunnelWatch::Found passages;
  ContactDepth::Found contact;
  ContactGap::Found gap;
  // Bodies that keep an angular momentum of their own while they are apart, where there are several.
  std::vector<BodySpins::Body> bodies;
  // The one of those whose angular momentum went wrong most; null where none was ever apart.
  [[nodiscard]] const BodySpins::Body* worst_body() const;
  // The further orbits, at the end of the run.
  struct OrbitEnd {
    std::string start;  // how it differs from the first: "y = 0.1, x' = 0.47"
    Deviation energy;
    int steps = 0;
    std::string failed;  // why; empty: it did not
  };
  std::vector<OrbitEnd> orbits;
  // The one whose energy went wrong most. There must be some.
  [[nodiscard]] std::size_t worst_orbit() const;

  void add(const StepReport& report);
  // Remembers when a step ended with another linear solver than the one before.
  void take_solver(int step, std::string_view now);
  void archive(Archive& a);
};

}  // namespace lilyan
