#include "lilyan/conservation/step_report.hpp"

#include <algorithm>

namespace lilyan {

std::string_view describe(StepStatus status) {
  switch (status) {
    case StepStatus::converged: return "converged";
    case StepStatus::round_off: return "solved to rounding error";
    case StepStatus::not_converged: return "did not converge within the iteration limit";
    case StepStatus::no_descent: return "found no decrease of the objective (line search failed)";
    case StepStatus::not_definite: return "could not make the Hessian positive definite";
    case StepStatus::non_finite: return "reached a state that is not finite";
    case StepStatus::inaccurate: return "was less accurate than step_control.tolerance asks";
    case StepStatus::mean_inaccurate:
      return "could not integrate the average force to energy_tolerance (the path passes close to "
             "a "
             "singularity of the energy, or over a jump of it)";
    case StepStatus::drowned_in_rounding:
      return "could be solved only to rounding error, and that is more than a millionth of what it "
             "does "
             "(masses far too small for the stiffness and the step, positions far from the origin, "
             "or elements "
             "that are almost flat?)";
    case StepStatus::stopped: return "was stopped before it was solved";
    case StepStatus::singular_constraints:
      return "reached a position where the constraints depend on one another";
  }
  return "unknown";
}

void StepReport::append(const StepReport& next) {
  status = succeeded(next.status) && status == StepStatus::round_off ? status : next.status;
  h += next.h;
  substeps += next.substeps;
  solver_work += next.solver_work;
  nodes = std::max(nodes, next.nodes);
  residual = std::max(residual, next.residual);
  rounding += next.rounding;
  after = next.after;
  ledger += next.ledger;
}

}  // namespace lilyan
