// A positive definite matrix in place of an objective's Hessian, where that is none.
#pragma once

#include <cmath>
#include <vector>

#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {

// Assembles the Hessian at d into `values` and gives it to `attempt`, until that says that it was
// definite: as it is; with its elements' negative eigenvalues raised, half-way and then fully; at
// last with a growing multiple of the identity. The first `skip` of these are left out. False when
// nothing helps.
template <class Attempt>
bool with_definite_hessian(Objective& objective, const Vector& d, const BlockPattern& pattern,
                           Definiteness definiteness, int skip, std::vector<double>& values,
                           NewtonResult& result, NewtonTimes& times, const Attempt& attempt) {
  // Projecting half-way is often enough for definiteness and keeps more of the true curvature:
  // about half the iterations on violently compressed bodies.
  constexpr double kProjections[] = {0.5, 1.0};
  constexpr double kShiftStart = 1e-10;  // of the mean diagonal entry
  constexpr int kShiftAttempts = 40;

  const auto assemble = [&](double projection) {
    const Timer timer(times.assembly);
    ++times.hessians;
    objective.hessian(d, projection, values);
  };
  if (skip == 0 || definiteness == Definiteness::shift) {
    assemble(0);
    if (attempt()) return true;
  }
  ++result.definiteness_fixes;
  if (definiteness == Definiteness::project) {
    for (const double strength : kProjections) {
      if (--skip > 0) continue;
      assemble(strength);
      if (attempt()) return true;
    }
  }
  double mean = 0;
  for (int c = 0; c < pattern.dofs(); ++c) mean += std::abs(values[pattern.column_start()[c]]);
  mean /= pattern.dofs();
  double shift = kShiftStart * mean;
  double applied = 0;
  for (int k = 0; k < kShiftAttempts && std::isfinite(mean); ++k) {
    for (int c = 0; c < pattern.dofs(); ++c) values[pattern.column_start()[c]] += shift - applied;
    if (attempt()) return true;
    applied = shift;
    shift *= 10;
  }
  return false;
}

// The same with a Cholesky factorisation of it.
inline bool factorise_definite(Objective& objective, const Vector& d, const BlockPattern& pattern,
                               Definiteness definiteness, LinearSolver& linear,
                               std::vector<double>& values, NewtonResult& result,
                               NewtonTimes& times) {
  return with_definite_hessian(objective, d, pattern, definiteness, 0, values, result, times, [&] {
    const Timer timer(times.factorisation);
    ++result.factorisations;
    return linear.factorise({values.data(), static_cast<std::size_t>(pattern.entries())});
  });
}

}  // namespace lilyan
