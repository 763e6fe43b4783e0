#include "lilyan/step/constrained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

// The one-stage table that a scheme's constrained step is made from, if there is one.
struct TableFor {
  const Claims& claims;

  std::optional<MinimisationTable> operator()(const MinimisationTable& table) const {
    if (table.stages.size() != 1) return {};
    const Stage& s = table.stages.front();
    const bool plain = s.target.size() == 1 && s.target[0].point == 0 &&
                       s.target[0].position == 0 && s.target[0].velocity == 1 &&
                       s.target[0].force == 0 && s.time == 1 &&
                       s.force_velocity == ForceVelocity::mean;
    const auto no_force = [](const Known& k) { return k.point == 0 && k.force == 0; };
    if (!plain || !std::ranges::all_of(s.velocity, no_force)) return {};
    if (!claims.symplectic) {
      // A quadrature too weak for exact energy leaves a method without anything to keep.
      const bool exact = table.averages_force && claims.energy == EnergyBehaviour::exact;
      return exact ? std::optional(table) : std::nullopt;
    }
    MinimisationTable variational = table;
    variational.averages_force = false;  // AVF with one point is implicit midpoint
    return variational;
  }
  // Kicks before and after one drift are forces at the two ends of its straight path.
  std::optional<MinimisationTable> operator()(const ExplicitTable& table) const {
    using Kind = ExplicitTable::Stage::Kind;
    double before = 0, after = 0;
    int drifts = 0;
    for (const auto& stage : table.stages) {
      if (stage.kind == Kind::drift) {
        if (stage.weight != 1) return {};
        ++drifts;
      } else {
        (drifts == 0 ? before : after) += stage.weight;
      }
    }
    if (drifts != 1 || !claims.symplectic) return {};
    OneStage stage{.nodes = {}, .displacement = 1};
    if (before != 0) stage.nodes.push_back({0, before});
    if (after != 0) stage.end_forces.push_back({1, after});
    return one_stage(stage);
  }
  template <class Other>
  std::optional<MinimisationTable> operator()(const Other&) const {
    return {};
  }
};

std::optional<MinimisationTable> table_for(const Scheme& scheme) {
  return std::visit(TableFor{scheme.claims}, scheme.table);
}

}  // namespace

bool supports_constraints(const Scheme& scheme) {
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return supports_constraints(*composition->base);
  }
  return table_for(scheme).has_value();
}

std::string constraints_unsupported(const Scheme& scheme) {
  if (const auto* composition = std::get_if<CompositionTable>(&scheme.table)) {
    return fmt::format("{} cannot keep constraints, because its base cannot: {}", scheme.label,
                       constraints_unsupported(*composition->base));
  }
  // A method that is among those that can, but not with this quadrature.
  const auto* table = std::get_if<MinimisationTable>(&scheme.table);
  const bool inexact = table && table->averages_force && !table_for(scheme);
  std::vector<std::string> names;
  for (const Method& m : methods()) {
    if (supports_constraints(make_scheme(m.name))) names.push_back(m.name);
  }
  return fmt::format("{} cannot keep constraints{}; methods that can: {}", scheme.label,
                     inexact ? ": it needs a quadrature that keeps the energy exactly, of degree 3 "
                               "(gauss with two points or more, simpson, auto)"
                             : "",
                     fmt::join(names, ", "));
}

MinimisationTable constrained_table(const Scheme& scheme) {
  auto table = table_for(scheme);
  if (!table) throw Error(constraints_unsupported(scheme));
  return *table;
}

}  // namespace lilyan
