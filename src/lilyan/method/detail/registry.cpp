#include <algorithm>
#include <string>

#include "lilyan/all_methods.hpp"  // generated: one line per file of this folder
#include "lilyan/method/method.hpp"

namespace lilyan {

const std::vector<Method>& methods() {
  static const std::vector<Method> all = all_methods();
  return all;
}

const Method* find_method(std::string_view name) {
  for (const Method& m : methods()) {
    if (m.name == name || std::ranges::find(m.aliases, name) != m.aliases.end()) return &m;
  }
  return nullptr;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& m : methods()) {
    names.push_back(m.name);
    names.insert(names.end(), m.aliases.begin(), m.aliases.end());
  }
  return names;
}

namespace {

struct CostOf {
  Cost operator()(const MinimisationTable& table) const {
    Cost sum;
    bool start = false;
    std::vector<char> points(table.stages.size(), 0);
    for (const Stage& stage : table.stages) {
      bool solves = false;
      bool ends = false;
      for (const Node& n : stage.nodes) (n.theta == 0 ? start : solves) = true;
      for (const Node& n : stage.end_forces) (n.theta == 0 ? start : ends) = true;
      for (const auto* known : {&stage.target, &stage.velocity}) {
        for (const Known& k : *known) {
          if (k.force == 0) continue;
          if (k.point == 0) start = true;
          if (k.point > 0) points[static_cast<std::size_t>(k.point - 1)] = 1;
        }
      }
      sum.solves += solves;
      sum.forces += ends;
    }
    for (const char needed : points) sum.forces += needed;
    sum.forces += start;
    return sum;
  }
  Cost operator()(const DiscreteGradientTable& table) const {
    return {.solves = table.predictor == DiscreteGradientTable::Predictor::avf ? 2 : 1};
  }
  // With the step that predicts the stages.
  Cost operator()(const CollocationTable&) const { return {.solves = 2}; }
  Cost operator()(const MultistepTable& table) const { return (*this)(table.at_ratio(1)); }
  Cost operator()(const ExplicitTable& table) const {
    using Kind = ExplicitTable::Stage::Kind;
    Cost sum;
    for (const auto& stage : table.stages) sum.forces += stage.kind == Kind::kick;
    // The force of a last kick is the next step's first.
    if (table.stages.front().kind == Kind::kick && table.stages.back().kind == Kind::kick) {
      --sum.forces;
    }
    return sum;
  }
  Cost operator()(const CompositionTable& table) const {
    const Cost base = cost(*table.base);
    const int steps = static_cast<int>(table.fractions.size());
    return {steps * base.solves, steps * base.forces};
  }
};

}  // namespace

Cost cost(const Scheme& scheme) { return std::visit(CostOf{}, scheme.table); }

std::vector<Scheme> schemes_to_verify() {
  std::vector<Scheme> all;
  for (const Method& m : methods()) {
    all.push_back(make_scheme(m.name));
    for (const Parameters& p : m.variants) all.push_back(make_scheme(m.name, p));
  }
  return all;
}

Scheme make_scheme(std::string_view method, const Parameters& parameters) {
  const Method* found = find_method(method);
  if (!found) {
    throw ParameterError("method", "unknown method '" + std::string(method) + "'" +
                                       suggestion(method, method_names()));
  }
  return found->make(parameters.completed(found->parameters));
}

MinimisationTable one_stage(const OneStage& stage) {
  Stage s{.target = {{.point = 0, .velocity = 1}},
          .nodes = stage.nodes,
          .displacement = stage.displacement,
          .end_forces = stage.end_forces,
          .force_velocity = stage.force_velocity};
  if (stage.velocity != 0) s.velocity = {{.point = 0, .velocity = stage.velocity}};
  return {.stages = {s}};
}

std::string_view name(SolveKind kind) {
  switch (kind) {
    case SolveKind::explicit_: return "explicit";
    case SolveKind::minimisation: return "minimisation";
    case SolveKind::stationary: return "stationary point";
    case SolveKind::root: return "root find";
  }
  return "";
}

std::string_view name(EnergyBehaviour behaviour) {
  switch (behaviour) {
    case EnergyBehaviour::exact: return "exact";
    case EnergyBehaviour::bounded: return "bounded";
    case EnergyBehaviour::dissipates: return "dissipates";
    case EnergyBehaviour::none: return "no promise";
  }
  return "";
}

}  // namespace lilyan
