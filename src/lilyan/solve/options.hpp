// What can be asked of a solve, and what it says of itself.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "lilyan/conservation/step_report.hpp"

namespace lilyan {

class BlockPattern;
class DirectionSource;

// The remedy where the Hessian is not positive definite.
enum class Definiteness {
  project,  // clamp the negative eigenvalues of each element's Hessian
  shift,    // add a growing multiple of the identity (Rojas, Liu, Kavan; Martin et al.)
};

[[nodiscard]] std::string_view name(Definiteness definiteness);

// How the linear systems of a minimisation are solved.
enum class LinearKind { cholesky, pcg };
// The choice that a user makes of it.
enum class LinearChoice { automatic, cholesky, pcg };

// Makes linear solvers that are not the library's own (solve/direction.hpp).
class DirectionMaker {
 public:
  DirectionMaker() = default;
  DirectionMaker(const DirectionMaker&) = delete;
  DirectionMaker& operator=(const DirectionMaker&) = delete;
  virtual ~DirectionMaker() = default;
  // The pattern outlives what is made.
  [[nodiscard]] virtual std::unique_ptr<DirectionSource> make(
      const BlockPattern& pattern) const = 0;
};

struct NewtonOptions {
  int max_iterations = 200;
  Definiteness definiteness = Definiteness::project;
  // Solve again with the factor at hand while that contracts the residual fast.
  bool reuse_factor = true;
  // The Hessian has entries of very different sizes, such as those of barriers: all of its digits count, and an old
  // factor is of no use.
  bool precise = false;
  LinearChoice linear = LinearChoice::automatic;
  // Looked at once in every iteration, if there is one: when it is set, the solve ends as
  // `stopped`.
  const std::atomic<bool>* stop = nullptr;
  // Where directions come from; null: from the library's own solvers. It must outlive the integrator.
  const DirectionMaker* directions = nullptr;
  [[nodiscard]] bool stop_asked() const { return stop && stop->load(std::memory_order_relaxed); }
};

// The error of a solve.
struct Defect {
  double share = 0;     // of what is allowed: done when ≤ 1
  double velocity = 0;  // as a velocity, relative to the step's energy scale
};

struct NewtonResult {
  StepStatus status = StepStatus::converged;
  SolverWork work;
  Defect defect = {};  // where it ended; of minimisations
};

// Seconds spent, for benchmarks.
struct NewtonTimes {
  double assembly = 0;  // Hessians
  double factorisation = 0;
  double solve = 0;
  double evaluation = 0;  // objective and gradient
  long hessians = 0;      // assembled
  // Whether the clock is asked at all, which small systems would notice.
  bool timed = true;

  [[nodiscard]] double* counter(double NewtonTimes::*of) { return timed ? &(this->*of) : nullptr; }

  NewtonTimes& operator+=(const NewtonTimes& o) {
    assembly += o.assembly;
    factorisation += o.factorisation;
    solve += o.solve;
    evaluation += o.evaluation;
    hessians += o.hessians;
    timed = timed && o.timed;
    return *this;
  }
};

}  // namespace lilyan
