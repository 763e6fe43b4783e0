#include "lilyan/core/step_report.hpp"

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
  after = next.after;
  ledger += next.ledger;
}

}  // namespace lilyan
