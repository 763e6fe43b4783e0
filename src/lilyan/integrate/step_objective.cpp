#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lilyan/integrate/minimise.hpp"

namespace lilyan {

StepObjective::StepObjective(Assembler& assembler, const SolverOptions& options)
    : assembler_(assembler),
      mass_(assembler.system().mass()),
      energy_tolerance_(options.energy_tolerance),
      velocity_tolerance_(options.velocity_tolerance),
      target_(mass_.size()),
      forces_(mass_.size()) {}

void StepObjective::prepare(const Vector& x0, double h, std::span<const Node> nodes,
                            double displacement, double energy_scale) {
  x0_ = &x0;
  h_ = h;
  displacement_ = displacement != 0 ? std::abs(displacement) : 1.0;
  energy_scale_ = energy_scale;
  nodes_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double beta = h * h * nodes[i].weight;
    nodes_[i] = {.theta = nodes[i].theta,
                 .value = beta / nodes[i].theta,
                 .gradient = beta,
                 .hessian = beta * nodes[i].theta};
  }
}

double StepObjective::evaluate(const Vector& d, Vector& gradient) {
  const EnergyByKind potential = assembler_.values_and_gradient(*x0_, &d, nodes_, forces_);
  gradient.array() = mass_.array() * (d - target_).array();
  const double inertia = 0.5 * (d - target_).dot(gradient);
  gradient += forces_;
  return std::accumulate(potential.begin(), potential.end(), inertia);
}

void StepObjective::hessian(const Vector& d, double projection, std::vector<double>& values) {
  assembler_.hessian(*x0_, d, nodes_, projection, values);
  const BlockPattern& pattern = assembler_.hessian_pattern();
  for (int c = 0; c < pattern.dofs(); ++c) {
    values[pattern.column_start()[c]] += mass_[pattern.dof(c)];
  }
}

double StepObjective::norm(const Vector& gradient) const {
  return std::sqrt((gradient.array().square() / mass_.array()).sum());
}

double StepObjective::defect(const Vector& d, const Vector& gradient) {
  const double kinetic = 0.5 * (mass_.array() * d.array().square()).sum() / (h_ * h_);
  const double scale = std::max(energy_scale_, kinetic);
  const double residual = norm(gradient);
  if (residual == 0) {
    velocity_error_ = 0;
    return 0;
  }
  velocity_error_ = displacement_ / std::abs(h_) * residual / std::sqrt(2 * scale);
  // ½(v₀+v₁) is u up to the order of the step: the ledger's solver term.
  const double energy_error = displacement_ / (h_ * h_) * std::abs(d.dot(gradient)) / scale;
  const double worst =
      std::max(energy_error / energy_tolerance_, velocity_error_ / velocity_tolerance_);
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

// Positions are known to a relative ε; the Hessian turns that into an error of the gradient, and
// with the positions once more into one of Φ (which also bounds the cancellation between the terms
// of an energy density: its stiffness times the square of the body's size).
Objective::Rounding StepObjective::rounding(const Vector& d, const Vector& diagonal) const {
  constexpr double kEpsilon = 4 * std::numeric_limits<double>::epsilon();
  const auto position = x0_->array().abs() + d.array().abs();
  const auto error = diagonal.array().abs() * position;
  return {.value = kEpsilon * (error * position).sum(),
          .gradient = kEpsilon * std::sqrt((error.square() / mass_.array()).sum())};
}

}  // namespace lilyan
