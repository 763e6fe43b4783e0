#include "lilyan/integrate/step/discrete_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/integrate/step/commit.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
namespace {

std::unique_ptr<DiscreteEquation> make_equation(Assembler& assembler, const FullPattern& pattern,
                                                bool by_element, const SolverOptions& options) {
  if (by_element) return std::make_unique<ElementEquation>(assembler.world(), pattern, options);
  return std::make_unique<GlobalEquation>(assembler, pattern, options);
}

}  // namespace

DiscreteGradientIntegrator::DiscreteGradientIntegrator(const World& world,
                                                       const DiscreteGradientTable& table,
                                                       const SolverOptions& options)
    : system_(world.system),
      options_(options),
      assembler_(world),
      potential_(assembler_),
      pattern_(assembler_.hessian_pattern()),
      equation_(make_equation(assembler_, pattern_, table.by_element, options)),
      root_(system_.dofs(), options.newton),
      d_(system_.dofs()),
      x1_(system_.dofs()),
      v1_(system_.dofs()) {
  if (table.predictor == DiscreteGradientTable::Predictor::avf) {
    predictor_ = make_predictor(world, options);
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
  report.solver_work += work.solver_work;
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
      root_.solve(*equation_, d_, options_.newton.max_iterations - report.solver_work.iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_->relative_velocity_error();
  if (!succeeded(report.status)) return report;
  v1_ = (2 / h) * d_ - state.v;
  x1_ = state.x + d_;
  commit(report, state, x1_, v1_, invariants(system_, x1_, v1_, potential_.values(x1_)),
         [&] { return ledger(state, h, report); });
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
  result.quadrature = potential_change(report.before, report.after) -
                      (2 / h) * mean.dot(equation_->weighted_forces());
  if (!system_.motions().empty()) {
    // The discrete gradient is the mean force, on prescribed vertices as well.
    mean_force_.setZero(d_.size());
    for (const auto& energy : system_.energies()) {
      energy->discrete_gradient({.x0 = start.x.data(),
                                 .d = d_.data(),
                                 .gradient = mean_force_.data(),
                                 .memory = assembler_.world().memory_of(*energy)});
    }
    const double work = prescribed_part(system_, mean_force_, d_);
    result.work += work;
    result.quadrature -= work;
  }
  return result;
}

}  // namespace lilyan
