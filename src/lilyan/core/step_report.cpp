#include "lilyan/core/step_report.hpp"

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
  }
  return "unknown";
}

}  // namespace lilyan
