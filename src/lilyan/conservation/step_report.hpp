// A step's report about itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lilyan/base/types.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

enum class StepStatus {
  converged,             // the tolerances asked for were reached
  round_off,             // the residual is as small as rounding allows, though above the tolerances
  not_converged,         // the iteration limit came first
  no_descent,            // no decrease of the objective was found along the search direction
  not_definite,          // the Hessian could not be made positive definite
  non_finite,            // the new state or its energy is not a number
  singular_constraints,  // the constraints do not determine their forces
  inaccurate,            // its error is above the tolerance, and the step as short as is allowed
  mean_inaccurate,       // the average force could not be integrated to the tolerance
  drowned_in_rounding,   // rounding errors are as large as what the step does
  stopped,               // someone asked for it (NewtonOptions::stop)
};

[[nodiscard]] constexpr bool succeeded(StepStatus s) {
  return s == StepStatus::converged || s == StepStatus::round_off;
}
// "did not converge within the iteration limit", …
[[nodiscard]] std::string_view describe(StepStatus status);

// Where the step's change of total energy H = ½vᵀMv + E(x) went. The terms add up to H₁ − H₀ up to
// rounding.
struct Ledger {
  double solver = 0;       // the equations were solved only so well
  double quadrature = 0;   // averaged forces were integrated only so well (AVF family)
  double work = 0;         // done by external forces
  double dissipation = 0;  // taken out by damping, never positive
  double method = 0;       // what the method itself does to the energy

  [[nodiscard]] double total() const { return solver + quadrature + work + dissipation + method; }
  Ledger& operator+=(const Ledger& o) {
    solver += o.solver;
    quadrature += o.quadrature;
    work += o.work;
    dissipation += o.dissipation;
    method += o.method;
    return *this;
  }
  void archive(Archive& a) { a(solver, quadrature, work, dissipation, method); }
};

struct Invariants {
  double kinetic = 0;
  EnergyByKind potential{};
  [[nodiscard]] double of(EnergyKind kind) const {
    return potential[static_cast<std::size_t>(kind)];
  }
  double total = 0;  // kinetic + all potentials
  // How large a change of energy is compared with. Gravity's zero is arbitrary, so it does not
  // count.
  [[nodiscard]] double scale() const {
    return std::max({kinetic, std::abs(of(EnergyKind::elastic)), std::abs(of(EnergyKind::contact)),
                     std::abs(of(EnergyKind::potential))});
  }
  // Momenta of points in space; zero in systems of dimension one.
  Vec3 linear_momentum = Vec3::Zero();
  Vec3 angular_momentum = Vec3::Zero();  // about the origin

  void archive(Archive& a) { a(kinetic, potential, total, linear_momentum, angular_momentum); }
};

// How much a solver had to do. Attempts that were given up count as well.
struct SolverWork {
  long iterations = 0;          // linear solves
  long factorisations = 0;      // numeric factorisations, failed ones included
  long evaluations = 0;         // of the objective or equation, line-search trials included
  long definiteness_fixes = 0;  // Hessians that had to be modified
  long linear_iterations = 0;   // of conjugate gradients, over all linear solves

  SolverWork& operator+=(const SolverWork& o) {
    iterations += o.iterations;
    factorisations += o.factorisations;
    evaluations += o.evaluations;
    definiteness_fixes += o.definiteness_fixes;
    linear_iterations += o.linear_iterations;
    return *this;
  }
  void archive(Archive& a) {
    a(iterations, factorisations, evaluations, definiteness_fixes, linear_iterations);
  }
};

struct StepReport {
  StepStatus status = StepStatus::converged;
  double h = 0;
  int substeps = 1;  // more than one when a failed step was retried in halves
  SolverWork solver_work;
  int nodes = 0;  // points of an adaptive quadrature
  // Velocity error left by the solver, √(δvᵀMδv), relative to √(2·energy scale) of the step.
  double residual = 0;
  double rounding = 0;  // energy that the solver and the quadrature lost to rounding errors
  Invariants before;
  Invariants after;
  Ledger ledger;

  // Adds the report of the step that came right after: solver's work and ledger add up, `before`
  // stays.
  void append(const StepReport& next);
};

}  // namespace lilyan
