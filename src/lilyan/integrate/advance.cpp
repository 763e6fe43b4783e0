#include <algorithm>
#include <utility>

#include "lilyan/integrate/explicit.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/minimise.hpp"

namespace lilyan {

std::unique_ptr<Integrator> make_integrator(const System& system, const Scheme& scheme,
                                            const SolverOptions& options) {
  if (const auto* table = std::get_if<ExplicitTable>(&scheme.table)) {
    return std::make_unique<ExplicitIntegrator>(system, *table);
  }
  return std::make_unique<MinimiseIntegrator>(system, std::get<MinimisationTable>(scheme.table),
                                              options);
}

void append(StepReport& sum, const StepReport& next) {
  sum.status =
      succeeded(next.status) && sum.status == StepStatus::round_off ? sum.status : next.status;
  sum.h += next.h;
  sum.substeps += next.substeps;
  add_work(sum, next);
  sum.residual = std::max(sum.residual, next.residual);
  sum.after = next.after;
  sum.ledger += next.ledger;
}

void add_work(StepReport& sum, const StepReport& attempt) {
  sum.iterations += attempt.iterations;
  sum.factorisations += attempt.factorisations;
  sum.evaluations += attempt.evaluations;
  sum.definiteness_fixes += attempt.definiteness_fixes;
}

StepReport advance(Integrator& integrator, State& state, double h, int max_halvings) {
  StepReport whole = integrator.step(state, h);
  if (succeeded(whole.status) || max_halvings <= 0) return whole;

  const State start = state;
  StepReport halves = advance(integrator, state, h / 2, max_halvings - 1);
  if (succeeded(halves.status)) {
    append(halves, advance(integrator, state, h / 2, max_halvings - 1));
  }
  // The failed attempt's work counts too.
  add_work(halves, whole);
  if (!succeeded(halves.status)) {
    state = start;
    halves.h = h;
    halves.after = halves.before;
    halves.ledger = {};
  }
  return halves;
}

}  // namespace lilyan
