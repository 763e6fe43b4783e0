#include <algorithm>
#include <utility>

#include "lilyan/integrate/discrete_gradient.hpp"
#include "lilyan/integrate/explicit.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/minimise.hpp"

namespace lilyan {

std::unique_ptr<Integrator> make_integrator(const System& system, const Scheme& scheme,
                                            const SolverOptions& options) {
  if (const auto* table = std::get_if<ExplicitTable>(&scheme.table)) {
    return std::make_unique<ExplicitIntegrator>(system, *table);
  }
  if (const auto* table = std::get_if<DiscreteGradientTable>(&scheme.table)) {
    return std::make_unique<DiscreteGradientIntegrator>(system, *table, options);
  }
  return std::make_unique<MinimiseIntegrator>(system, std::get<MinimisationTable>(scheme.table),
                                              options);
}

namespace {

// Adds what came later; energies and momenta "before" stay those of the first.
void append(StepReport& sum, const StepReport& next) {
  sum.status =
      succeeded(next.status) && sum.status == StepStatus::round_off ? sum.status : next.status;
  sum.h += next.h;
  sum.substeps += next.substeps;
  sum.iterations += next.iterations;
  sum.factorisations += next.factorisations;
  sum.evaluations += next.evaluations;
  sum.definiteness_fixes += next.definiteness_fixes;
  sum.residual = std::max(sum.residual, next.residual);
  sum.after = next.after;
  sum.ledger += next.ledger;
}

}  // namespace

StepReport advance(Integrator& integrator, State& state, double h, int max_halvings) {
  StepReport whole = integrator.step(state, h);
  if (succeeded(whole.status) || max_halvings <= 0) return whole;

  const State start = state;
  StepReport halves = advance(integrator, state, h / 2, max_halvings - 1);
  if (succeeded(halves.status)) {
    append(halves, advance(integrator, state, h / 2, max_halvings - 1));
  }
  // The failed attempt's work counts too.
  halves.iterations += whole.iterations;
  halves.factorisations += whole.factorisations;
  halves.evaluations += whole.evaluations;
  halves.definiteness_fixes += whole.definiteness_fixes;
  if (!succeeded(halves.status)) {
    state = start;
    halves.h = h;
    halves.after = halves.before;
    halves.ledger = {};
  }
  return halves;
}

}  // namespace lilyan
