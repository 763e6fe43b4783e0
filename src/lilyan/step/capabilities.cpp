#include "lilyan/step/capabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "lilyan/step/constrained.hpp"

namespace lilyan {
namespace {

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

}  // namespace lilyan
