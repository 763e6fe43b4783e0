// Which interpreter steps which table.
#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "lilyan/step/capabilities.hpp"
#include "lilyan/step/collocation.hpp"
#include "lilyan/step/compose.hpp"
#include "lilyan/step/constrained.hpp"
#include "lilyan/step/discrete_gradient_step.hpp"
#include "lilyan/step/explicit.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/lagrangian_step.hpp"
#include "lilyan/step/minimise.hpp"

namespace lilyan {
namespace {

// The interpreter of each kind of table.
struct Interpreter {
  const World& world;
  const SolverOptions& options;

  std::unique_ptr<Integrator> operator()(const MinimisationTable& table) const {
    return std::make_unique<MinimiseIntegrator>(world, table, options);
  }
  std::unique_ptr<Integrator> operator()(const MultistepTable& table) const {
    return std::make_unique<MinimiseIntegrator>(world, table, options);
  }
  std::unique_ptr<Integrator> operator()(const ExplicitTable& table) const {
    return std::make_unique<ExplicitIntegrator>(world, table);
  }
  std::unique_ptr<Integrator> operator()(const DiscreteGradientTable& table) const {
    return std::make_unique<DiscreteGradientIntegrator>(world, table, options);
  }
  std::unique_ptr<Integrator> operator()(const CollocationTable& table) const {
    return std::make_unique<CollocationIntegrator>(world, table, options);
  }
  std::unique_ptr<Integrator> operator()(const CompositionTable& table) const {
    return std::make_unique<ComposeIntegrator>(make_plain_integrator(world, *table.base, options),
                                               table.fractions);
  }
};

// The points of an adaptive mean are fixed where forces are polynomials: then so many are exact.
Scheme with_exact_points(const System& system, const Scheme& scheme) {
  const auto* adaptive = std::get_if<MinimisationTable>(&scheme.table);
  if (!adaptive || !adaptive->adaptive_nodes) return scheme;
  const std::optional<int> points = exact_points(system);
  if (!points) return scheme;
  Scheme exact = scheme;
  auto& table = std::get<MinimisationTable>(exact.table);
  table.adaptive_nodes = false;
  table.exact_nodes = true;
  std::vector<Node>& nodes = table.stages.front().nodes;
  nodes.clear();
  for (const Node& n : gauss(*points).nodes) nodes.push_back({n.theta, n.weight / 2});
  return exact;
}

}  // namespace

std::unique_ptr<Integrator> make_plain_integrator(const World& world, const Scheme& scheme,
                                                  const SolverOptions& options) {
  if (world.system.lagrangian()) {
    return std::make_unique<LagrangianIntegrator>(world.system, *scheme.lagrangian, options);
  }
  if (!world.system.constraints().empty()) {
    return std::make_unique<ConstrainedIntegrator>(world, with_exact_points(world.system, scheme),
                                                   options);
  }
  return std::visit(Interpreter{world, options}, with_exact_points(world.system, scheme).table);
}

std::unique_ptr<Integrator> make_predictor(const World& world, SolverOptions options) {
  constexpr double kTolerance = 1e-3;
  options.energy_tolerance = std::max(options.energy_tolerance, kTolerance);
  options.velocity_tolerance = std::max(options.velocity_tolerance, kTolerance);
  return make_plain_integrator(world, make_scheme("avf", {{"points", 2.0}}), options);
}

}  // namespace lilyan
