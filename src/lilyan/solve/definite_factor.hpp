// A Cholesky factor of an objective's Hessian, changed where it is not positive definite.
#pragma once

#include <vector>

#include "lilyan/solve/newton.hpp"

namespace lilyan {

// Assembles the Hessian at d into `values` and factorises it: as it is; with its elements' negative
// eigenvalues raised, half-way and then fully; at last with a growing multiple of the identity.
// False when nothing helps.
bool factorise_definite(Objective& objective, const Vector& d, const BlockPattern& pattern,
                        Definiteness definiteness, LinearSolver& linear,
                        std::vector<double>& values, NewtonResult& result, NewtonTimes& times);

}  // namespace lilyan
