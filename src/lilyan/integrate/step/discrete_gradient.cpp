#include "lilyan/integrate/step/discrete_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/predictor.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
namespace {

std::unique_ptr<DiscreteEquation> make_equation(const System& system, Assembler& assembler,
                                                const FullPattern& pattern, bool by_element,
                                                const SolverOptions& options) {
  if (by_element) return std::make_unique<ElementEquation>(system, pattern, options);
  return std::make_unique<GlobalEquation>(system, assembler, pattern, options);
}

}  // namespace

DiscreteGradientIntegrator::DiscreteGradientIntegrator(const System& system,
                                                       const DiscreteGradientTable& table,
                                                       const SolverOptions& options)
    : system_(system),
      options_(options),
      assembler_(system),
      potential_(assembler_),
      pattern_(assembler_.hessian_pattern()),
      equation_(make_equation(system, assembler_, pattern_, table.by_element, options)),
      root_(system.dofs(), options.newton),
      d_(system.dofs()),
      v1_(system.dofs()) {
  if (table.predictor == DiscreteGradientTable::Predictor::avf) {
    predictor_ = make_predictor(system, options);
  }
}

NewtonTimes DiscreteGradientIntegrator::times() const {
  NewtonTimes sum = root_.times();
  if (predictor_) {
    sum += predictor_->times();
  }
  return sum;
}

void DiscreteGradientIntegrator::predict(const State& state, double h, StepReport& report) {
  d_ = h * state.v;
  if (!predictor_) return;
  predicted_ = state;
  const StepReport work = predictor_->step(predicted_, h);
  report.iterations = work.iterations;
  report.factorisations = work.factorisations;
  report.evaluations = work.evaluations;
  report.definiteness_fixes = work.definiteness_fixes;
  // A path that ends in an inverted element is no start; the root find then has to do without.
  if (succeeded(work.status)) d_ = predicted_.x - state.x;
}

StepReport DiscreteGradientIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  equation_->prepare(state, h, report.before.scale(), report.before.total - report.before.kinetic);
  // The predictor's iterations count towards the limit.
  const NewtonResult solved =
      root_.solve(*equation_, d_, std::max(0, options_.newton.max_iterations - report.iterations));
  report.status = solved.status;
  report.iterations += solved.iterations;
  report.factorisations += solved.factorisations;
  report.evaluations += solved.evaluations;
  report.residual = equation_->relative_velocity_error();
  if (!succeeded(report.status)) return report;
  if (report.status == StepStatus::round_off) {
    equation_->evaluate(d_, v1_);  // the last evaluation was a rejected trial
  }

  v1_ = (2 / h) * d_ - state.v;
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
  report.ledger = ledger(state, h, report);
  state.x.swap(state.x_previous);
  state.v_previous = state.v;
  state.v.swap(v1_);
  state.h_previous = h;
  state.t += h;
  return report;
}

// With r the residual, M(v₁−v₀) = (2/h) r − h ∇̄E, and the kinetic energy changes by its product
// with the mean velocity. The part due to r is the solver's. The rest, E₁ − E₀ − ∇̄E·d, is what the
// discrete gradient leaves of its promise: rounding. External forces work.
Ledger DiscreteGradientIntegrator::ledger(const State& start, double h, const StepReport& report) {
  const auto mean = 0.5 * (start.v + v1_);
  Ledger result;
  result.solver = (2 / h) * mean.dot(root_.residual());
  if (!system_.forces().empty()) result.work = h * mean.dot(equation_->external_forces());
  if (!system_.dissipations().empty()) {
    const double driven = -h * equation_->driven_power(d_);
    result.dissipation = h * mean.dot(equation_->dissipation()) - driven;
    result.work += driven;
  }
  result.quadrature = -(2 / h) * mean.dot(equation_->weighted_forces());
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    result.quadrature += report.after.potential[k] - report.before.potential[k];
  }
  if (!system_.motions().empty()) {
    // The discrete gradient is the mean force, on prescribed vertices as well.
    mean_force_.setZero(d_.size());
    for (const auto& energy : system_.energies()) {
      energy->discrete_gradient(
          {.x0 = start.x.data(), .d = d_.data(), .gradient = mean_force_.data()});
    }
    const double work = prescribed_part(system_, mean_force_, d_);
    result.work += work;
    result.quadrature -= work;
  }
  return result;
}

}  // namespace lilyan
