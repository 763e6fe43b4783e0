#include "lilyan/integrate/step/discrete_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/forces.hpp"

namespace lilyan {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// An all-zero matrix with the pattern.
SparseMatrix make_matrix(const FullPattern& pattern) {
  const std::vector<double> zero(pattern.row().size(), 0.0);
  return Eigen::Map<const SparseMatrix>(pattern.dofs(), pattern.dofs(), pattern.entries(),
                                        pattern.column_start().data(), pattern.row().data(),
                                        zero.data());
}

}  // namespace

DiscreteEquation::DiscreteEquation(const System& system, const FullPattern& pattern,
                                   const SolverOptions& options)
    : system_(system),
      pattern_(pattern),
      jacobian_(make_matrix(pattern)),
      mass_(system.mass()),
      energy_tolerance_(options.energy_tolerance),
      velocity_tolerance_(options.velocity_tolerance),
      forced_(!system.forces().empty()),
      dissipation_(system),
      drift_(system.dofs()),
      forces_(system.dofs()),
      free_right_(pattern.dofs()),
      free_solution_(pattern.dofs()),
      lu_(make_lu()) {
  if (!dissipation_.empty()) {
    dissipated_.setZero(system.dofs());
    dissipation_hessian_.resize(static_cast<std::size_t>(pattern.half().storage()));
  }
  if (!forced_ && dissipation_.empty()) return;
  for (Vector* v : {&external_, &damping_, &middle_x_, &middle_v_, &scratch_})
    v->setZero(system.dofs());
}

void DiscreteEquation::prepare(const State& start, double h, double energy_scale,
                               double potential) {
  x0_ = &start.x;
  t_middle_ = start.t + h / 2;
  h_ = h;
  energy_scale_ = energy_scale;
  potential_ = potential;
  drift_ = h * start.v;
  dissipation_.begin_step(start.x, h);
}

void DiscreteEquation::go_to_middle(const Vector& d) {
  middle_x_ = *x0_ + 0.5 * d;
  middle_v_ = d / h_;
}

void DiscreteEquation::pull_back(Vector& d, double factor) const { scale_free(system_, factor, d); }

double DiscreteEquation::driven_power(const Vector& d) {
  middle_v_ = d / h_;
  return dissipation_.driven_power(DissipationVelocity::path, middle_v_);
}

void DiscreteEquation::evaluate(const Vector& d, Vector& residual) {
  forces(d, forces_);
  residual.array() = mass_.array() * (d - drift_).array() + forces_.array();
  if (!dissipation_.empty()) {
    middle_v_ = d / h_;
    dissipated_.setZero();
    dissipation_.value_and_gradient(DissipationVelocity::path, middle_v_, -1, dissipated_);
    residual -= (0.5 * h_ * h_) * dissipated_;
  }
  if (!forced_) return;
  go_to_middle(d);
  external_.setZero();
  add_forces(system_, t_middle_, middle_x_, middle_v_, 1, scratch_, external_);
  residual -= (0.5 * h_ * h_) * external_;
}

bool DiscreteEquation::factorise(const Vector& d) {
  double* values = jacobian_.valuePtr();
  derivative(d, {values, static_cast<std::size_t>(pattern_.entries())});
  for (int c = 0; c < pattern_.dofs(); ++c) {
    values[pattern_.diagonal()[c]] += mass_[pattern_.half().dof(c)];
  }
  if (forced_) {
    go_to_middle(d);
    damping_.setZero();
    add_damping(system_, t_middle_, middle_x_, middle_v_, 0.5 * h_, scratch_, damping_);
    for (int c = 0; c < pattern_.dofs(); ++c) {
      values[pattern_.diagonal()[c]] += damping_[pattern_.half().dof(c)];
    }
  }
  if (!dissipation_.empty()) {
    middle_v_ = d / h_;
    std::ranges::fill(dissipation_hessian_, 0.0);
    dissipation_.add_hessian(DissipationVelocity::path, middle_v_, 0.5 * h_, 0, pattern_.half(),
                             dissipation_hessian_);
    pattern_.add_mirrored(dissipation_hessian_,
                          {values, static_cast<std::size_t>(pattern_.entries())});
  }
  return lu_->factorise(jacobian_);
}

void DiscreteEquation::solve_sparse(const Vector& right_side, Vector& solution) {
  for (int c = 0; c < pattern_.dofs(); ++c) free_right_[c] = right_side[pattern_.half().dof(c)];
  lu_->solve(free_right_, free_solution_);
  solution.setZero();
  for (int c = 0; c < pattern_.dofs(); ++c) solution[pattern_.half().dof(c)] = free_solution_[c];
}

void DiscreteEquation::solve(const Vector& residual, Vector& direction) {
  solve_sparse(residual, direction);
  direction = -direction;
}

double DiscreteEquation::norm(const Vector& residual) const {
  return std::sqrt((residual.array().square() / mass_.array()).sum());
}

// As StepObjective::defect: a residual r is the velocity error 2/h M⁻¹r and, through the mean
// velocity d/h, the energy error 2/h² d·r.
double DiscreteEquation::defect(const Vector& d, const Vector& residual) {
  const double kinetic = 0.5 * (mass_.array() * d.array().square()).sum() / (h_ * h_);
  const double scale = std::max(energy_scale_, kinetic);
  const double size = norm(residual);
  velocity_error_ = 0;
  if (size == 0) return 0;
  velocity_error_ = 2 / std::abs(h_) * size / std::sqrt(2 * scale);
  const double energy_error = 2 / (h_ * h_) * std::abs(d.dot(residual)) / scale;
  const double worst =
      std::max(energy_error / energy_tolerance_, velocity_error_ / velocity_tolerance_);
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

// Positions are known to a relative ε, which the Jacobian turns into an error of the residual.
double DiscreteEquation::rounding(const Vector& d) const {
  double sum = 0;
  for (int c = 0; c < pattern_.dofs(); ++c) {
    const int i = pattern_.half().dof(c);
    const double error =
        jacobian_.valuePtr()[pattern_.diagonal()[c]] * (std::abs((*x0_)[i]) + std::abs(d[i]));
    sum += error * error / mass_[i];
  }
  return 4 * kEpsilon * std::sqrt(sum);
}

void ElementEquation::forces(const Vector& d, Vector& forces) {
  assembler_.gradient(*x0_, d, 0.5 * h_ * h_, forces);
}

void ElementEquation::derivative(const Vector& d, std::span<double> values) {
  assembler_.jacobian(*x0_, d, 0.5 * h_ * h_, values);
}

}  // namespace lilyan
