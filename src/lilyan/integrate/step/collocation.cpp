#include "lilyan/integrate/step/collocation.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/predictor.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
CollocationIntegrator::CollocationIntegrator(const System& system, const CollocationTable& table,
                                             const SolverOptions& options)
    : system_(system),
      table_(table),
      options_(options),
      assembler_(system),
      potential_(assembler_),
      equation_(assembler_, table, options),
      root_(static_cast<Eigen::Index>(table.c.size()) * system.dofs(), options.newton),
      predictor_(make_predictor(system, options)),
      z_(Vector::Zero(static_cast<Eigen::Index>(table.c.size()) * system.dofs())),
      residual_(z_) {
  for (Vector* v : {&d_, &v1_, &acceleration_, &solver_impulse_}) {
    v->setZero(system.dofs());
  }
}

NewtonTimes CollocationIntegrator::times() const {
  NewtonTimes sum = root_.times();
  sum += predictor_->times();
  return sum;
}

// The parabola with the start's velocity through the end that AVF finds.
void CollocationIntegrator::predict(const State& state, double h, StepReport& report) {
  predicted_ = state;
  const StepReport work = predictor_->step(predicted_, h);
  report.add_work(work);
  const bool found = succeeded(work.status);
  for (int i = 0; i < equation_.stages(); ++i) {
    const double c = table_.c[static_cast<std::size_t>(i)];
    auto stage = z_.segment(i * system_.dofs(), system_.dofs());
    stage = (c * h) * state.v;
    if (found) stage += (c * c) * (predicted_.x - state.x - h * state.v);
  }
}

// With Gᵢ = Σⱼ Bᵢⱼ (Zⱼ − cⱼ h v₀), which is h²aᵢ + M⁻¹Rᵢ:
//   d = h v₀ + Σ bᵢ(1−cᵢ) Gᵢ,   v₁ = v₀ + (1/h) Σ bᵢGᵢ.
void CollocationIntegrator::finish(const State& state, double h) {
  d_ = h * state.v;
  v1_ = state.v;
  solver_impulse_.setZero();
  work_ = 0;
  const bool forced = !system_.forces().empty();
  for (int i = 0; i < equation_.stages(); ++i) {
    const double b = table_.b[static_cast<std::size_t>(i)];
    const double c = table_.c[static_cast<std::size_t>(i)];
    equation_.scaled_acceleration(z_, i, acceleration_);
    d_ += (b * (1 - c)) * acceleration_;
    v1_ += (b / h) * acceleration_;
    solver_impulse_ += (b / h) * root_.residual().segment(i * system_.dofs(), system_.dofs());
    if (forced) work_ += (b * h) * equation_.work_rate(z_, i);
  }
}

StepReport CollocationIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  equation_.prepare(state, h, report.before.scale());
  const NewtonResult solved =
      root_.solve(equation_, z_, std::max(0, options_.newton.max_iterations - report.iterations));
  report.status = solved.status;
  report.iterations += solved.iterations;
  report.factorisations += solved.factorisations;
  report.evaluations += solved.evaluations;
  report.residual = equation_.relative_velocity_error();
  if (!succeeded(report.status)) return report;
  // External forces are those of the last evaluation, which may have been a rejected trial.
  if (!system_.forces().empty()) equation_.evaluate(z_, residual_);
  finish(state, h);

  state.x_previous = state.x + d_;
  const Invariants after =
      invariants(system_, state.x_previous, v1_, potential_.values(state.x_previous));
  if (!std::isfinite(after.total)) {
    report.status = StepStatus::non_finite;
    state.h_previous = 0;
    return report;
  }
  report.after = after;
  const auto mean = 0.5 * (state.v + v1_);
  report.ledger.solver = mean.dot(solver_impulse_);
  report.ledger.work = work_ + prescribed_work(system_, state.x, d_, acceleration_);
  report.ledger.method =
      after.total - report.before.total - report.ledger.solver - report.ledger.work;
  state.x.swap(state.x_previous);
  state.v_previous = state.v;
  state.v.swap(v1_);
  state.h_previous = h;
  state.t += h;
  return report;
}

}  // namespace lilyan
