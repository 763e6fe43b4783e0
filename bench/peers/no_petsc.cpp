#include "step_problem.hpp"

namespace peers {

std::vector<NamedSolver> petsc_solvers() { return {}; }

}  // namespace peers
