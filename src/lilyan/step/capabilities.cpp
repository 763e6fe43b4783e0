#include "lilyan/step/capabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "lilyan/step/constrained.hpp"

namespace lilyan {
namespace {

// What a system may have, beyond masses with potentials, that the interpreter of a table must be prepared for.
struct Features {
  bool constraints = false;
  bool dissipation = false;              // by a potential of the velocity
  bool constrained_dissipation = false;  // beside constraints
  bool end_dissipation = false;          // by the velocity at the end of the step
  bool step_before = false;              // impulses that look at it
  bool motions = false;                  // scripted vertices
  bool ranks = false;                    // several processes share it
  bool barriers = false;                 // contact that nothing passes through
};

// What the interpreters of each kind of table take.
Features takes(const MinimisationTable& /*table*/) {
  return {true, true, true, true, true, true, true, true};
}

Features takes(const MultistepTable& /*table*/) {
  return {.constraints = true,
          .dissipation = true,
          .constrained_dissipation = true,
          .end_dissipation = true,
          .motions = true,
          .ranks = true,
          .barriers = true};
}

// (With constraints there is no Hessian to put damping into.)
Features takes(const ExplicitTable& /*table*/) {
  return {.constraints = true,
          .dissipation = true,
          .end_dissipation = true,
          .step_before = true,
          .motions = true,
          .ranks = true};
}

// (The correction along the displacement would make free vertices do the work of scripted ones.)
Features takes(const DiscreteGradientTable& /*table*/) {
  return {.constraints = true,
          .dissipation = true,
          .constrained_dissipation = true,
          .step_before = true};
}

Features takes(const CollocationTable& /*table*/) {
  return {.constraints = true, .end_dissipation = true, .step_before = true, .motions = true};
}

// Beside what the base does not take. In a step back in time damping would put energy in.
Features takes(const CompositionTable& table) {
  const bool forwards = std::ranges::all_of(table.fractions, [](double f) { return f > 0; });
  return {.constraints = true,
          .dissipation = forwards,
          .constrained_dissipation = forwards,
          .end_dissipation = true,
          .motions = true,
          .ranks = true,
          .barriers = true};
}

struct Rule {
  bool Features::*feature;
  std::string_view reason;
};

constexpr Rule kRules[] = {
    {&Features::dissipation,
     "cannot step a system with damping or friction; avf, implicit-midpoint and the other methods "
     "that "
     "minimise can"},
    {&Features::constrained_dissipation,
     "cannot step a system with damping or friction and constraints; avf, implicit-midpoint and "
     "the "
     "other methods that minimise can"},
    {&Features::step_before,
     "cannot step a system with explicit strain damping, which looks at the step before: use a "
     "method "
     "of one step, or damping of model \"strain\""},
    {&Features::end_dissipation,
     "cannot damp by the velocity at the end of the step: use damping of model \"rayleigh\" "
     "instead "
     "of \"rayleigh-end\""},
    {&Features::barriers,
     "cannot keep bodies from passing through each other: use a method that minimises (avf, "
     "energy-momentum, backward-euler, …), or contact of kind \"penalty\""},
    {&Features::motions, "cannot step a system with scripted vertices; use energy-momentum or avf"},
};

const CompositionTable* composition_of(const Scheme& scheme) {
  return std::get_if<CompositionTable>(&scheme.table);
}

Features takes_of(const Scheme& scheme) {
  return std::visit([](const auto& table) { return takes(table); }, scheme.table);
}

Features features_of(const System& system) {
  const bool constrained = !system.constraints().empty();
  const bool dissipates = !system.dissipations().empty();
  return {.constraints = constrained,
          .dissipation = dissipates,
          .constrained_dissipation = constrained && dissipates,
          .end_dissipation = std::ranges::any_of(
              system.dissipations(),
              [](const auto& r) { return r->velocity() == DissipationVelocity::end; }),
          .step_before = !system.impulses().empty(),
          .motions = !system.motions().empty(),
          .barriers = std::ranges::any_of(system.energies(), [](const auto& energy) {
            return energy->abilities().blocks_paths;
          })};
}

// Why the method cannot step a system that is given by a Lagrangian; empty when it can.
std::string reason_unsupported_lagrangian(const System& system, const Scheme& scheme) {
  if (const auto* composition = composition_of(scheme)) {
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

bool chooses_points(const Scheme& scheme) {
  if (const auto* composition = composition_of(scheme)) return chooses_points(*composition->base);
  if (scheme.lagrangian && scheme.lagrangian->adaptive_nodes) return true;
  const auto* table = std::get_if<MinimisationTable>(&scheme.table);
  return table && table->adaptive_nodes;
}

bool runs_on_ranks(const Scheme& scheme) {
  const auto* composition = composition_of(scheme);
  return takes_of(scheme).ranks && (!composition || runs_on_ranks(*composition->base));
}

std::string reason_unsupported(const System& system, const Scheme& scheme) {
  if (system.lagrangian()) return reason_unsupported_lagrangian(system, scheme);
  const Features has = features_of(system);
  Features taken = takes_of(scheme);
  // (Explicit methods have tables of minimisations too, but nothing that is infinite holds them back.)
  if (scheme.solve == SolveKind::explicit_) taken.barriers = false;
  if (has.constraints && !supports_constraints(scheme)) return constraints_unsupported(scheme);
  for (const Rule& rule : kRules) {
    if (has.*rule.feature && !(taken.*rule.feature)) {
      return fmt::format("{} {}", scheme.label, rule.reason);
    }
  }
  const auto* composition = composition_of(scheme);
  return composition ? reason_unsupported(system, *composition->base) : std::string{};
}

}  // namespace lilyan
