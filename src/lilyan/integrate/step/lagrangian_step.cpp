#include "lilyan/integrate/step/lagrangian_step.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/integrate/step/commit.hpp"

namespace lilyan {
namespace {
bool same_vector(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }
}  // namespace

LagrangianIntegrator::LagrangianIntegrator(const System& system, const LagrangianTable& table,
                                           const SolverOptions& options)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      table_(table),
      options_(options),
      equation_(system, std::min(options.energy_tolerance, options.velocity_tolerance)),
      root_(system.dofs(), options.newton, false),
      legendre_(system, options.newton),
      end_jacobian_(equation_.constraints().make_jacobian()) {
  for (Vector* x : {&p0_, &q1_, &p1_, &v1_}) x->setZero(system.dofs());
  g_.setZero(equation_.constraints().equations());
}

void LagrangianIntegrator::forget() {
  has_end_ = false;
  equation_.forget_factors();
}

void LagrangianIntegrator::begin(const State& state) {
  if (!checked_ && !system_.constraints().empty()) check_constraints(system_, state);
  checked_ = true;
  if (has_end_ && end_t_ == state.t && same_vector(end_x_, state.x) &&
      same_vector(end_v_, state.v)) {
    p0_ = end_p_;
    start_invariants_ = end_invariants_;
    start_value_ = end_value_;
    return;
  }
  legendre_.momentum(state.t, state.x, state.v, p0_);
  start_invariants_ = lagrangian_invariants(lagrangian_, state.t, state.x.data(), state.v.data());
  start_value_ = lagrangian_.evaluate(state.t, state.x.data(), state.v.data(), {});
}

bool LagrangianIntegrator::solve(const State& state, double h, StepReport& report) {
  if (new_table_) equation_.set_table(table_);
  new_table_ = false;
  equation_.prepare(state, p0_, h);
  equation_.guess(z_);
  const NewtonResult solved = root_.solve(equation_, z_, options_.newton.max_iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_.relative();
  if (!succeeded(report.status)) return false;
  equation_.finish(z_, q1_, p1_);
  equation_.mean_velocity(z_, v1_);
  v1_ = 2 * v1_ - state.v;
  const bool constrained = g_.size() > 0;
  if (constrained) equation_.constraints().evaluate(q1_, g_, end_jacobian_);
  const StepStatus end =
      legendre_.velocity(state.t + h, h, q1_, p1_, v1_, constrained ? &end_jacobian_ : nullptr);
  if (!succeeded(end)) {
    report.status = end;
    return false;
  }
  end_invariants_ = lagrangian_invariants(lagrangian_, state.t + h, q1_.data(), v1_.data());
  if (!std::isfinite(end_invariants_.total)) report.status = StepStatus::non_finite;
  return succeeded(report.status);
}

// Whether the quadrature of an averaging method was accurate enough. If not, it gets more points.
bool LagrangianIntegrator::accurate(StepReport& report) {
  const double work = equation_.work() + equation_.dissipation();
  const double defect = end_invariants_.total - report.before.total - work;
  const double scale = std::max(report.before.scale(), end_invariants_.scale());
  const bool done =
      gauss_.accept(defect == 0 ? 0 : std::abs(defect) / (options_.energy_tolerance * scale));
  report.nodes = gauss_.used();
  if (static_cast<std::size_t>(gauss_.count()) != table_.time.size()) {
    table_ = average_table(gauss_.nodes());
    table_.adaptive_nodes = true;
    new_table_ = true;
  }
  return done;
}

// With p the momenta, the energy H = p·v − L changes by
//   H₁ − H₀ = w·(p₁ − p₀) + ½(p₀+p₁)·(v₁ − v₀) − (L₁ − L₀),   w = ½(v₀+v₁)                      (1)
// where the step's impulses are, with constraints' kicks at its start and a projection at its end,
//   p₁ − p₀ = h Σ eᵢ (∂L/∂qᵢ + fᵢ) + h G₀ᵀλ + G₁ᵀμ.                                             (2)
// Forces fᵢ work along the velocities Vᵢ of their nodes, and explicit time by −∂L/∂t:
//   work + dissipation = h Σ eᵢ (fᵢ·Vᵢ − ∂L/∂tᵢ).                                               (3)
// The rest of (1), with (2), is what the method does: for those that average forces an error of
// quadrature.
Ledger LagrangianIntegrator::ledger(const State& start) {
  Ledger result;
  result.work = equation_.work();
  result.dissipation = equation_.dissipation();
  mean_ = 0.5 * (start.v + v1_);
  double rest = equation_.impulse_beyond_work(mean_);
  if (g_.size() > 0) rest += legendre_.constraint_power(mean_, end_jacobian_);
  rest += 0.5 * ((p0_ + p1_).dot(v1_ - start.v)) - (end_value_ - start_value_);
  (table_.averages_force ? result.quadrature : result.method) = rest;
  return result;
}

StepReport LagrangianIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  begin(state);
  report.before = start_invariants_;
  report.after = report.before;
  if (table_.adaptive_nodes) gauss_.begin_step();
  bool done = solve(state, h, report);
  while (done && table_.adaptive_nodes && !accurate(report)) done = solve(state, h, report);
  if (!done) {
    equation_.forget_factors();
    return report;
  }
  end_value_ = lagrangian_.evaluate(state.t + h, q1_.data(), v1_.data(), {});
  end_t_ = state.t + h;
  end_x_ = q1_;
  end_v_ = v1_;
  end_p_ = p1_;
  has_end_ = true;
  commit(report, state, q1_, v1_, end_invariants_, [&] { return ledger(state); });
  return report;
}

}  // namespace lilyan
