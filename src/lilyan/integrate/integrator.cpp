#include "lilyan/integrate/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lilyan/core/error.hpp"
#include "lilyan/integrate/constrained/constrained.hpp"
#include "lilyan/integrate/control/moving_world.hpp"
#include "lilyan/integrate/step/collocation.hpp"
#include "lilyan/integrate/step/discrete_gradient.hpp"
#include "lilyan/integrate/step/explicit.hpp"
#include "lilyan/integrate/step/lagrangian_step.hpp"
#include "lilyan/integrate/step/minimise.hpp"

namespace lilyan {
namespace {

// Interpreter of compositions: steps of another method by fractions of h.
class ComposeIntegrator final : public Integrator {
 public:
  ComposeIntegrator(std::unique_ptr<Integrator> base, std::vector<double> fractions)
      : base_(std::move(base)), fractions_(std::move(fractions)) {}

  StepReport step(State& state, double h) override {
    start_ = state;
    const TimeSpan span = span_of_step(state, h);
    base_->part_of(&span);
    StepReport whole = base_->step(state, fractions_.front() * h);
    for (std::size_t i = 1; i < fractions_.size() && succeeded(whole.status); ++i) {
      whole.append(base_->step(state, fractions_[i] * h));
    }
    base_->part_of(nullptr);
    whole.h = h;
    whole.substeps = 1;  // they are the method's own, not a failed step's
    if (!succeeded(whole.status)) {
      state = start_;
      whole.after = whole.before;
      whole.ledger = {};
      return whole;
    }
    state.t = start_.t + h;
    state.h_previous = h;
    state.x_previous.swap(start_.x);
    state.v_previous.swap(start_.v);
    return whole;
  }
  [[nodiscard]] const WorldMemory* memory() const override { return base_->memory(); }
  void archive_memory(Archive& a) override { base_->archive_memory(a); }
  void archive(Archive& a) override { base_->archive(a); }
  [[nodiscard]] std::string_view linear_solver() const override { return base_->linear_solver(); }
  [[nodiscard]] NewtonTimes times() const override { return base_->times(); }

 private:
  std::unique_ptr<Integrator> base_;
  std::vector<double> fractions_;
  State start_;
};

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
    return std::make_unique<ComposeIntegrator>(make_integrator(world.system, *table.base, options),
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
  std::vector<Node>& nodes = table.stages.front().nodes;
  nodes.clear();
  for (const Node& n : gauss(*points).nodes) nodes.push_back({n.theta, n.weight / 2});
  return exact;
}

// False for methods whose solve is not prepared for a potential of the velocity.
bool supports_dissipation(const System& system, const Scheme& scheme) {
  // In a step back in time damping would put energy in.
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return std::ranges::all_of(composition->fractions, [](double f) { return f > 0; }) &&
           supports_dissipation(system, *composition->base);
  }
  if (std::holds_alternative<CollocationTable>(scheme.table)) return false;
  // An explicit method that keeps constraints has no Hessian to put damping into.
  return system.constraints().empty() || !std::holds_alternative<ExplicitTable>(scheme.table);
}

// Why the method cannot step a system that is given by a Lagrangian; empty when it can.
std::string reason_unsupported_lagrangian(const System& system, const Scheme& scheme) {
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return reason_unsupported_lagrangian(system, *composition->base);
  }
  if (!scheme.lagrangian) {
    return fmt::format(
        "{} is for constant masses only; implicit-midpoint, hp, gauss, avf, rk4 and others can "
        "step any Lagrangian",
        scheme.label);
  }
  if (!system.constraints().empty() && !scheme.lagrangian->takes_constraints) {
    return fmt::format(
        "{} cannot keep constraints of a system whose masses are not constant; the variational "
        "methods (implicit-midpoint, hp, stoermer-verlet and compositions of them) can",
        scheme.label);
  }
  return {};
}

}  // namespace

std::optional<int> exact_points(const System& system) {
  if (system.lagrangian()) return std::nullopt;
  int degree = 3;  // with fewer points a mean would not be much of one
  for (const auto& energy : system.energies()) {
    const std::optional<int> own = energy->force_degree();
    if (!own) return std::nullopt;
    degree = std::max(degree, *own);
  }
  return degree / 2 + 1;
}

std::string reason_unsupported(const System& system, const Scheme& scheme) {
  if (system.lagrangian()) return reason_unsupported_lagrangian(system, scheme);
  if (!system.constraints().empty() && !supports_constraints(scheme)) {
    return constraints_unsupported(scheme);
  }
  if (!system.dissipations().empty() && !supports_dissipation(system, scheme)) {
    return fmt::format(
        "{} cannot step a system with damping or friction{}; avf, implicit-midpoint and the other "
        "methods that minimise can",
        scheme.label, system.constraints().empty() ? "" : " and constraints");
  }
  const auto* composition = std::get_if<CompositionTable>(&scheme.table);
  if (!system.impulses().empty() &&
      (composition || std::holds_alternative<MultistepTable>(scheme.table))) {
    return fmt::format(
        "{} cannot step a system with explicit strain damping, which looks at the step before: use "
        "a method of one step, or damping of model \"strain\"",
        scheme.label);
  }
  if (composition) return reason_unsupported(system, *composition->base);
  if (std::holds_alternative<DiscreteGradientTable>(scheme.table)) {
    for (const auto& r : system.dissipations()) {
      if (r->velocity() == DissipationVelocity::end) {
        return fmt::format(
            "{} cannot damp by the velocity at the end of the step: use damping of "
            "model \"rayleigh\" instead of \"rayleigh-end\"",
            scheme.label);
      }
    }
    // The correction along the displacement would make free vertices do the work of scripted ones.
    if (!system.motions().empty()) {
      return fmt::format(
          "{} cannot step a system with scripted vertices; use energy-momentum or avf",
          scheme.label);
    }
  }
  return {};
}

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

std::unique_ptr<Integrator> make_integrator(const System& system, const Scheme& scheme,
                                            const SolverOptions& options) {
  if (const std::string reason = reason_unsupported(system, scheme); !reason.empty()) {
    throw Error(reason);
  }
  // Compositions step with a base that does all the rest.
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return Interpreter{system, options}(*composition);
  }
  if (system.changes_between_steps()) {
    return std::make_unique<MovingWorldIntegrator>(system, scheme, options, make_plain_integrator);
  }
  return make_plain_integrator(system, scheme, options);
}

}  // namespace lilyan
