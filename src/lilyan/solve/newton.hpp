// Newton's method for minimisation, with line search on the objective itself.
#pragma once

#include <memory>
#include <string_view>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/saving/archive.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/objective.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

class DescentProgress;

class Newton {
 public:
  // The pattern must outlive this. It may grow between minimisations.
  Newton(const BlockPattern& pattern, const NewtonOptions& options);
  ~Newton();

  // Minimises from at.z, to an error `slack` times as large as the objective's tolerances allow. On success `at` is
  // the minimiser, with what the objective is there, and `forces` are linearised about it.
  NewtonResult minimise(const Objective& objective, Linearised& forces, Iterate& at,
                        double slack = 1);

  // For an equation that is nearly this minimisation's: direction = −H⁻¹ residual. H is the matrix that
  // the last minimisation ended with, or a new one where it made none or where this is asked for.
  // False when there is no direction.
  struct Correction {
    bool renew = false;
    double accuracy = 1e-3;   // of an iterative solution
    bool last = false;        // as in DirectionSource::Request
    bool all_digits = false;  // likewise
  };
  bool correct(const LocalModel& model, const Vector& residual, const Correction& request,
               Vector& direction, SolverWork& work);
  // Whether a residual of this size may be nothing but rounding error, by the matrix last made.
  [[nodiscard]] bool at_rounding(const LocalModel& here, double norm);

  // The linear solver used last.
  [[nodiscard]] std::string_view linear_name() const;
  [[nodiscard]] const NewtonTimes& times() const { return times_; }
  // What minimisations have learned for those that follow.
  void archive(Archive& a);

 private:
  [[nodiscard]] std::unique_ptr<DirectionSource> make_finder() const;
  // Other linear solvers once the pattern has grown, which go on with what those before have learned.
  void follow_pattern();
  void evaluate(const LocalModel& model, Iterate& at, SolverWork& work);
  void start(const LocalModel& model, Iterate& at, SolverWork& work);
  bool find_direction(const LocalModel& here, const Vector& residual, double defect,
                      DescentProgress& progress, SolverWork& work);
  double find_step(const LocalModel& here, const Iterate& at, bool modified, SolverWork& work);
  [[nodiscard]] StepStatus rounded_off(const LocalModel& here, const Vector& gradient,
                                       SolverWork& work);
  void read_diagonal();

  const BlockPattern& pattern_;
  NewtonOptions options_;
  std::unique_ptr<DirectionSource> finder_;
  int version_;  // of the pattern that it is for
  NewtonTimes times_;
  bool has_matrix_ = false;  // of the last minimisation
  // Workspace, over all degrees of freedom.
  Iterate trial_, further_;
  Vector direction_, diagonal_, impulse_;
};

}  // namespace lilyan
