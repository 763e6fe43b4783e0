// Tables that several methods are made of, and what can be read off a table.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "lilyan/method/method.hpp"

namespace lilyan {

MinimisationTable one_stage(const OneStage& stage) {
  Stage s{.target = {{.point = 0, .velocity = 1}},
          .nodes = stage.nodes,
          .displacement = stage.displacement,
          .end_forces = stage.end_forces,
          .force_velocity = stage.force_velocity};
  if (stage.velocity != 0) s.velocity = {{.point = 0, .velocity = stage.velocity}};
  return {.stages = {s}};
}

// With L_d(q, u) = h Σ bᵢ L(q + cᵢhu, u), the equations (5) and (6) of Kharevych et al. 2006 are
//   p₁ − p₀ = D₁L_d = h Σ bᵢFᵢ,   h p₁ = D₂L_d = h Σ bᵢ (∂L/∂v)ᵢ + h² Σ bᵢcᵢFᵢ
// and eliminating p₁,  Σ bᵢ (∂L/∂v)ᵢ = p₀ + h Σ bᵢ(1−cᵢ)Fᵢ, their (7).
LagrangianTable variational_table(const std::vector<Node>& nodes) {
  LagrangianTable table{.unknowns = 1, .end_position = {1}, .takes_constraints = true};
  for (const auto& [c, b] : nodes) {
    table.time.push_back(c);
    table.position.push_back(c);
    table.velocity.push_back(1);
    table.momentum.push_back(b);
    table.force.push_back(b * (1 - c));
    table.end_force.push_back(b);
  }
  return table;
}

LagrangianTable runge_kutta_table(const std::vector<double>& A, const std::vector<double>& b,
                                  const std::vector<double>& c) {
  const std::size_t s = c.size();
  std::vector<double> one(s * s, 0.0);
  for (std::size_t i = 0; i < s; ++i) one[i * s + i] = 1;
  return {.unknowns = static_cast<int>(s),
          .time = c,
          .position = A,
          .velocity = one,
          .momentum = one,
          .force = A,
          .end_position = b,
          .end_force = b};
}

LagrangianTable average_table(const std::vector<Node>& nodes) {
  std::vector<double> A, b, c;
  for (const Node& row : nodes) {
    c.push_back(row.theta);
    b.push_back(row.weight);
    for (const Node& column : nodes) A.push_back(row.theta * column.weight);
  }
  LagrangianTable table = runge_kutta_table(A, b, c);
  table.averages_force = true;
  return table;
}

DiscreteGradientTable::Predictor predictor_named(const std::string& name) {
  if (name == "constant") return DiscreteGradientTable::Predictor::constant;
  if (name == "avf") return DiscreteGradientTable::Predictor::avf;
  throw ParameterError("predictor",
                       "unknown predictor '" + name + "'" + suggestion(name, {"avf", "constant"}));
}

namespace {

// All coefficients of one kind from the first half without its last one.
std::vector<double> mirrored(std::vector<double> half, bool has_middle) {
  const double sum = std::accumulate(half.begin(), half.end(), 0.0);
  half.push_back(has_middle ? 1 - 2 * sum : 0.5 - sum);
  std::vector<double> all = half;
  all.insert(all.end(), half.rbegin() + (has_middle ? 1 : 0), half.rend());
  return all;
}

}  // namespace

ExplicitTable symmetric_splitting(ExplicitTable::Stage::Kind first,
                                  const std::vector<double>& outer,
                                  const std::vector<double>& inner, MiddleOf middle) {
  using Kind = ExplicitTable::Stage::Kind;
  const Kind second = first == Kind::kick ? Kind::drift : Kind::kick;
  const std::vector<double> all_outer = mirrored(outer, middle == MiddleOf::outer);
  const std::vector<double> all_inner = mirrored(inner, middle == MiddleOf::inner);
  ExplicitTable table{{{first, all_outer[0]}}};
  for (std::size_t i = 0; i < all_inner.size(); ++i) {
    table.stages.push_back({second, all_inner[i]});
    table.stages.push_back({first, all_outer[i + 1]});
  }
  return table;
}

std::vector<ParameterSpec> mean_parameters() {
  std::vector<ParameterSpec> all = quadrature_parameters("auto", 2, {"auto"});
  for (ParameterSpec& p : all) p.default_value.reset();
  all[0].meaning += " (as many Gauss points as are exact, or as each step needs); default: auto";
  all[1].meaning += "; default: 2";
  return all;
}

MeanRule mean_rule(const Parameters& given) {
  const bool adaptive =
      given.has("quadrature") ? given.word("quadrature") == "auto" : !given.has("points");
  if (adaptive) return {gauss(2), true};
  Parameters filled = given;
  if (!given.has("quadrature")) filled.set("quadrature", "gauss");
  if (!given.has("points")) filled.set("points", 2.0);
  return {quadrature(filled, {"auto"}), false};
}

std::vector<ParameterSpec> composition_parameters() {
  return {{"base", "a symmetric method of order two", std::string("stoermer-verlet"), true},
          {"quadrature",
           "of the base, where it has one (avf, hp-quadrature); default: the base's",
           {},
           true},
          {"points", "of the base's quadrature; default: the base's", {}}};
}

std::vector<double> symmetric_fractions(const std::vector<double>& first_half) {
  return mirrored(first_half, true);
}

Scheme compose(const std::string& label, int order, std::vector<double> fractions,
               const Parameters& given) {
  const std::string& name = given.word("base");
  const Method* method = find_method(name);
  if (!method) {
    throw ParameterError(
        "base", fmt::format("unknown method '{}'{}", name, suggestion(name, method_names())));
  }
  // Checked even where the base has no use for them.
  Parameters checked = given;
  if (!given.has("quadrature")) checked.set("quadrature", "gauss");
  if (!given.has("points")) checked.set("points", 2.0);
  if (checked.word("quadrature") != "auto") (void)quadrature(checked, {"auto"});
  Parameters parameters;
  for (const char* key : {"quadrature", "points"}) {
    if (given.has(key) && std::ranges::find(method->parameters, key, &ParameterSpec::name) !=
                              method->parameters.end()) {
      parameters.set(key, given.values().at(key));
    }
  }
  const Scheme base = make_scheme(name, parameters);
  if (!base.claims.symmetric || base.claims.order != 2) {
    throw ParameterError(
        "base",
        fmt::format("the base of a composition must be symmetric and of order two; {} is {}",
                    base.label,
                    base.claims.symmetric ? fmt::format("of order {}", base.claims.order)
                                          : "not symmetric"));
  }
  Scheme scheme{
      .label = fmt::format("{}({})", label, base.label),
      .solve = base.solve,
      .claims = base.claims,
      .table = CompositionTable{std::make_shared<const Scheme>(base), std::move(fractions)}};
  scheme.claims.order = order;
  return scheme;
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
