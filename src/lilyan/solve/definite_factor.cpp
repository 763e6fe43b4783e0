#include "lilyan/solve/definite_factor.hpp"

#include <cmath>

#include "lilyan/solve/timer.hpp"

namespace lilyan {
namespace {

// Projecting half-way is often enough for definiteness and keeps more of the true curvature: about
// half the iterations on violently compressed bodies.
constexpr double kProjections[] = {0.5, 1.0};
constexpr double kShiftStart = 1e-10;  // of the mean diagonal entry
constexpr int kShiftAttempts = 40;

}  // namespace

bool factorise_definite(Objective& objective, const Vector& d, const BlockPattern& pattern,
                        Definiteness definiteness, LinearSolver& linear,
                        std::vector<double>& values, NewtonResult& result, NewtonTimes& times) {
  const auto assemble = [&](double projection) {
    const Timer timer(times.assembly);
    objective.hessian(d, projection, values);
  };
  const auto try_factor = [&] {
    const Timer timer(times.factorisation);
    ++result.factorisations;
    return linear.factorise({values.data(), static_cast<std::size_t>(pattern.entries())});
  };
  assemble(0);
  if (try_factor()) return true;

  ++result.definiteness_fixes;
  if (definiteness == Definiteness::project) {
    for (const double strength : kProjections) {
      assemble(strength);
      if (try_factor()) return true;
    }
  }
  double mean = 0;
  for (int c = 0; c < pattern.dofs(); ++c) mean += std::abs(values[pattern.column_start()[c]]);
  mean /= pattern.dofs();
  double shift = kShiftStart * mean;
  double applied = 0;
  for (int k = 0; k < kShiftAttempts && std::isfinite(mean); ++k) {
    for (int c = 0; c < pattern.dofs(); ++c) values[pattern.column_start()[c]] += shift - applied;
    if (try_factor()) return true;
    applied = shift;
    shift *= 10;
  }
  return false;
}

}  // namespace lilyan
