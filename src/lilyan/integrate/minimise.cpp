#include "lilyan/integrate/minimise.hpp"

#include <cmath>
#include <utility>

#include "lilyan/core/fixed.hpp"
#include "lilyan/diagnose/invariants.hpp"

namespace lilyan {

MinimiseIntegrator::MinimiseIntegrator(const System& system, MinimisationTable table,
                                       const SolverOptions& options)
    : system_(system),
      table_(std::move(table)),
      assembler_(system),
      potential_(assembler_),
      objective_(assembler_, options),
      newton_(assembler_.hessian_pattern(), options.newton),
      d_(system.dofs()),
      v1_(system.dofs()),
      end_forces_(Vector::Zero(system.dofs())),
      start_gradient_(Vector::Zero(system.dofs())) {
  for (const Node& node : table_.nodes) {
    if (node.theta == 0) {
      start_weight_ += node.weight;
    } else {
      solved_nodes_.push_back(node);
    }
  }
  for (const Node& node : table_.end_forces) {
    if (node.theta == 0) {
      end_start_weight_ += node.weight;
    } else {
      end_nodes_.push_back({.theta = node.theta, .gradient = node.weight});
    }
  }
}

std::string_view MinimiseIntegrator::linear_solver() const {
  return newton_.linear_solver().name();
}

double MinimiseIntegrator::energy_scale(const Invariants& at) const {
  // Gravity's zero is arbitrary, so it does not say how large a change of energy is.
  return std::max(
      {at.kinetic, std::abs(at.of(EnergyKind::elastic)), std::abs(at.of(EnergyKind::potential))});
}

StepReport MinimiseIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_fixed(system_, state.v);
  // Its gradient comes with the values where the table wants it at x₀.
  const bool wants_gradient = start_weight_ != 0 || end_start_weight_ != 0;
  if (wants_gradient) start_gradient_ = potential_.gradient(state.x);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));

  Vector& y = objective_.target();
  y = h * state.v;
  if (start_weight_ != 0) {
    y.array() -= (h * h * start_weight_) * start_gradient_.array() / system_.mass().array();
  }
  objective_.prepare(state.x, h, solved_nodes_, table_.displacement, energy_scale(report.before));
  d_ = h * state.v;
  const NewtonResult solved = newton_.minimise(objective_, d_);
  report.status = solved.status;
  report.iterations = solved.iterations;
  report.factorisations = solved.factorisations;
  report.evaluations = solved.evaluations;
  report.definiteness_fixes = solved.definiteness_fixes;
  report.residual = objective_.relative_velocity_error();
  report.after = report.before;
  if (!succeeded(report.status)) return report;
  if (report.status == StepStatus::round_off || report.iterations == 0) {
    objective_.evaluate(d_, v1_);  // the last evaluation was a rejected trial
  }

  end_velocity(state, h, v1_);
  // The new position takes the place of the oldest one, which is no longer needed.
  state.x_previous = state.x + d_;
  const Invariants after =
      invariants(system_, state.x_previous, v1_, potential_.values(state.x_previous));
  if (!std::isfinite(after.total)) {
    report.status = StepStatus::non_finite;
    state.h_previous = 0;
    return report;
  }
  report.after = after;
  report.ledger = ledger(state, h, v1_, report);
  state.x.swap(state.x_previous);
  state.v_previous = state.v;
  state.v.swap(v1_);
  state.h_previous = h;
  state.t += h;
  return report;
}

void MinimiseIntegrator::end_velocity(const State& start, double h, Vector& v1) {
  v1 = (table_.displacement / h) * d_ + table_.velocity * start.v;
  if (table_.end_forces.empty()) return;
  // h Σ wᵢ a(θᵢ); the start's gradient is at hand.
  if (end_nodes_.empty()) {
    end_forces_.setZero();
  } else {
    assembler_.gradient(start.x, &d_, end_nodes_, end_forces_);
  }
  if (end_start_weight_ != 0) end_forces_ += end_start_weight_ * start_gradient_;
  v1.array() -= h * end_forces_.array() / system_.mass().array();
}

// With r the residual, the table's equations give exactly
//   M(v₁−v₀) = (displacement/h) r + J,   J = −(displacement/h) h² Σ βᵢ∇E(xᵢ) − h Σ wᵢ∇E(xᵢ),
// and the kinetic energy changes by ½(v₀+v₁)·M(v₁−v₀). The part due to r is the solver's; the rest,
// with the change of potential, is the method's (for averaged forces: its quadrature's).
Ledger MinimiseIntegrator::ledger(const State& start, double h, const Vector& v1,
                                  const StepReport& report) const {
  const double a = table_.displacement;
  const auto mean = 0.5 * (start.v + v1);
  Ledger result;
  result.solver = (a / h) * mean.dot(newton_.gradient());
  double impulse_work = -(a / h) * mean.dot(objective_.weighted_forces());
  if (start_weight_ != 0) impulse_work -= a * h * start_weight_ * mean.dot(start_gradient_);
  if (!table_.end_forces.empty()) impulse_work -= h * mean.dot(end_forces_);
  double rest = impulse_work;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    rest += report.after.potential[k] - report.before.potential[k];
  }
  (table_.averages_force ? result.quadrature : result.method) = rest;
  return result;
}

}  // namespace lilyan
