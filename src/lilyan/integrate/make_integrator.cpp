#include "lilyan/core/error.hpp"
#include "lilyan/integrate/collocation.hpp"
#include "lilyan/integrate/compose.hpp"
#include "lilyan/integrate/constrained.hpp"
#include "lilyan/integrate/constrained_table.hpp"
#include "lilyan/integrate/discrete_gradient.hpp"
#include "lilyan/integrate/explicit.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/integrate/minimise.hpp"

namespace lilyan {
namespace {

// The interpreter of each kind of table.
struct Interpreter {
  const System& system;
  const SolverOptions& options;

  std::unique_ptr<Integrator> operator()(const MinimisationTable& table) const {
    return std::make_unique<MinimiseIntegrator>(system, table, options);
  }
  std::unique_ptr<Integrator> operator()(const MultistepTable& table) const {
    return std::make_unique<MinimiseIntegrator>(system, table, options);
  }
  std::unique_ptr<Integrator> operator()(const ExplicitTable& table) const {
    return std::make_unique<ExplicitIntegrator>(system, table);
  }
  std::unique_ptr<Integrator> operator()(const DiscreteGradientTable& table) const {
    return std::make_unique<DiscreteGradientIntegrator>(system, table, options);
  }
  std::unique_ptr<Integrator> operator()(const CollocationTable& table) const {
    return std::make_unique<CollocationIntegrator>(system, table, options);
  }
  std::unique_ptr<Integrator> operator()(const CompositionTable& table) const {
    return std::make_unique<ComposeIntegrator>(make_integrator(system, *table.base, options),
                                               table.fractions);
  }
};

}  // namespace

std::unique_ptr<Integrator> make_integrator(const System& system, const Scheme& scheme,
                                            const SolverOptions& options) {
  if (!system.constraints().empty()) {
    if (!supports_constraints(scheme)) throw Error(constraints_unsupported(scheme));
    // Compositions step with a base that keeps the constraints.
    if (!std::holds_alternative<CompositionTable>(scheme.table)) {
      return std::make_unique<ConstrainedIntegrator>(system, scheme, options);
    }
  }
  return std::visit(Interpreter{system, options}, scheme.table);
}

}  // namespace lilyan
