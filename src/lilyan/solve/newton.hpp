// Newton's method for minimisation, with line search on the objective itself.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

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

class BlockPattern;
class DirectionSource;

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
  LinearChoice linear = LinearChoice::automatic;
  // Looked at once in every iteration, if there is one: when it is set, the solve ends as
  // `stopped`.
  const std::atomic<bool>* stop = nullptr;
  // Where directions come from; null: from the library's own solvers. It must outlive the integrator.
  const DirectionMaker* directions = nullptr;
  [[nodiscard]] bool stop_asked() const { return stop && stop->load(std::memory_order_relaxed); }
};

// A smooth function of all degrees of freedom. Entries of fixed vertices stay as given: gradients
// are zero there, and the Hessian covers only the free ones.
class Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  virtual ~Objective() = default;

  // Terms that are not the gradient of anything (external forces) enter Φ linearised about a point.
  // Linearises them about d; false when there are none, so that Φ is what it was.
  virtual bool linearise(const Vector& d) {
    static_cast<void>(d);
    return false;
  }
  // Φ(d), infinite or not a number where it is not defined.
  virtual double evaluate(const Vector& d, Vector& gradient) = 0;
  virtual void hessian(const Vector& d, double projection, std::vector<double>& values) = 0;
  // Error left in the result divided by what is allowed: done when ≤ 1.
  virtual double defect(const Vector& d, const Vector& gradient) = 0;
  [[nodiscard]] virtual double norm(const Vector& gradient) const = 0;
  // a·b, over all processes where several share the problem.
  [[nodiscard]] virtual double dot(const Vector& a, const Vector& b) const;
  // Bounds on the errors of Φ and of norm(gradient) from rounding alone, given the Hessian's
  // diagonal at d.
  struct Rounding {
    double value = 0;
    double gradient = 0;
  };
  [[nodiscard]] virtual Rounding rounding(const Vector& d, const Vector& diagonal) const = 0;
  // Whether what rounding left of the gradient is small beside what the step does, so that "solved to
  // rounding error" is a success.
  [[nodiscard]] virtual bool rounding_is_harmless(const Vector& d, const Vector& gradient) const {
    static_cast<void>(d);
    static_cast<void>(gradient);
    return true;
  }
  // Where the vertices are, roughly, if they are points in space: what a rigid motion of some of
  // them is depends on it.
  [[nodiscard]] virtual const Vector* positions() const { return nullptr; }
  // The masses, if the Hessian is their matrix and that of an energy: the curvature that it would have at
  // least if the energy were convex.
  [[nodiscard]] virtual const Vector* masses() const { return nullptr; }
};

struct NewtonResult {
  StepStatus status = StepStatus::converged;
  SolverWork work;
};

// Seconds spent, for benchmarks.
struct NewtonTimes {
  double assembly = 0;  // Hessians
  double factorisation = 0;
  double solve = 0;
  double evaluation = 0;  // objective and gradient
  long hessians = 0;      // assembled

  NewtonTimes& operator+=(const NewtonTimes& o) {
    assembly += o.assembly;
    factorisation += o.factorisation;
    solve += o.solve;
    evaluation += o.evaluation;
    hessians += o.hessians;
    return *this;
  }
};

// Adds the time until its end to a counter. Without a counter it does not ask the clock, which takes
// as long as a small system's equations.
class Timer {
 public:
  explicit Timer(double& seconds) : Timer(&seconds) {}
  explicit Timer(double* seconds) : seconds_(seconds) {
    if (seconds_) start_ = Clock::now();
  }
  ~Timer() {
    if (seconds_) *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* seconds_;
  Clock::time_point start_;
};

class DirectionSource;

class Newton {
 public:
  // The pattern must outlive this.
  Newton(const BlockPattern& pattern, const NewtonOptions& options);
  ~Newton();

  // Minimises from the given d; on success d is the minimiser and gradient() its residual.
  NewtonResult minimise(Objective& objective, Vector& d);

  // For an equation that is nearly this minimisation's: direction = −H⁻¹ residual. H is the matrix that
  // the last minimisation ended with, or a new one at d where it made none or where this is asked for.
  // False when there is no direction.
  struct Correction {
    bool renew = false;
    double accuracy = 1e-3;   // of an iterative solution
    bool last = false;        // as in DirectionSource::Request
    bool all_digits = false;  // likewise
  };
  bool correct(Objective& objective, const Vector& d, const Vector& residual,
               const Correction& request, Vector& direction, SolverWork& work);

  [[nodiscard]] const Vector& gradient() const { return gradient_; }
  // The linear solver used last.
  [[nodiscard]] std::string_view linear_name() const;
  [[nodiscard]] const NewtonTimes& times() const { return times_; }
  // What minimisations have learned for those that follow.
  void archive(Archive& a);

 private:
  template <class Evaluate>
  double pull_back(const Objective& objective, Vector& d, double phi, const Evaluate& evaluate);
  template <class Evaluate>
  double lengthen(const Objective& objective, const Vector& d, double& phi, double slope,
                  const Evaluate& evaluate);
  template <class Evaluate>
  bool is_parabola(const Objective& objective, const Vector& d, double slope, double norm,
                   const Evaluate& evaluate);
  void read_diagonal();
  // Whether a residual of this size may be nothing but rounding error.
  [[nodiscard]] StepStatus rounded(const Objective& objective, const Vector& d) const;
  bool at_rounding(const Objective& objective, const Vector& d, double norm);

  const BlockPattern& pattern_;
  NewtonOptions options_;
  std::unique_ptr<DirectionSource> finder_;
  NewtonTimes times_;
  bool has_matrix_ = false;  // of the last minimisation
  // Workspace, over all degrees of freedom.
  Vector gradient_, trial_gradient_, trial_, direction_, diagonal_, longer_, longer_gradient_;
};

}  // namespace lilyan
