#include "lilyan/lagrangian/expression_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "lilyan/base/error.hpp"
#include "lilyan/lagrangian/differentiate.hpp"
#include "lilyan/lagrangian/expression_parts.hpp"
#include "lilyan/lagrangian/parse.hpp"

namespace lilyan {

struct ExpressionModel::Parts {
  // Shared with the system's parts, which take second derivatives when they need them.
  std::shared_ptr<ExpressionGraph> graph = std::make_shared<ExpressionGraph>();
  ExpressionScope scope;
  ExpressionScope parameters;
  std::vector<Group> names;
  std::vector<std::string> coordinates;
  ExpressionNode kinetic = graph->constant(0);
  ExpressionNode potential = kinetic;
  ExpressionNode lagrangian = kinetic;
  ExpressionNode dissipation = kinetic;
  bool has_dissipation = false;
  std::vector<ExpressionNode> forces;  // per coordinate
  bool has_forces = false;
  std::vector<std::pair<std::string, ExpressionNode>> constraints;
  bool separable = false;
  bool made = false;
  std::vector<double> masses;
  std::vector<ExpressionNode> momenta;

  [[nodiscard]] ExpressionNode at_rest(ExpressionNode n) const;
  [[nodiscard]] ExpressionScope with_index(const ExpressionScope& of, int i) const;
};

ExpressionModel::ExpressionModel() : parts_(std::make_unique<Parts>()) {}
ExpressionModel::ExpressionModel(ExpressionModel&&) noexcept = default;
ExpressionModel& ExpressionModel::operator=(ExpressionModel&&) noexcept = default;
ExpressionModel::~ExpressionModel() = default;

bool ExpressionModel::has_dissipation() const { return parts_->has_dissipation; }
bool ExpressionModel::separable() const { return parts_->separable; }
const std::vector<ExpressionModel::Group>& ExpressionModel::coordinate_groups() const {
  return parts_->names;
}
const std::vector<std::string>& ExpressionModel::coordinates() const { return parts_->coordinates; }
ExpressionNode ExpressionModel::momentum(int coordinate) const {
  return parts_->momenta[static_cast<std::size_t>(coordinate)];
}
ExpressionGraph& ExpressionModel::graph() { return *parts_->graph; }

void ExpressionModel::add_parameter(const std::string& name, double value) {
  parts_->parameters.set(name, parts_->graph->constant(value));
  parts_->scope.set(name, parts_->graph->constant(value));
}

void ExpressionModel::add_parameter(const std::string& name, const std::vector<double>& list) {
  std::vector<ExpressionNode> nodes;
  for (const double value : list) nodes.push_back(parts_->graph->constant(value));
  parts_->parameters.set_list(name, 1, nodes);
  parts_->scope.set_list(name, 1, nodes);
}

void ExpressionModel::add_coordinate(const std::string& name) {
  parts_->names.push_back({.name = name});
  parts_->coordinates.push_back(name);
}

void ExpressionModel::add_coordinates(const std::string& name, int first, int last) {
  if (last < first) throw Error(fmt::format("{}[{}..{}] has no elements", name, first, last));
  parts_->names.push_back({.name = name, .first = first, .count = last - first + 1, .list = true});
  for (int i = first; i <= last; ++i) parts_->coordinates.push_back(fmt::format("{}[{}]", name, i));
}

void ExpressionModel::finish_coordinates() {
  if (parts_->coordinates.empty()) throw Error("there is no coordinate");
  const bool lists = std::ranges::any_of(parts_->names, [](const Group& g) { return g.list; });
  if (lists && parts_->parameters.has("i")) {
    throw Error("a parameter named 'i' would hide the index of lists; give it another name");
  }
  parts_->scope.set("t", parts_->graph->variable(time()));
  int at = 0;
  for (const Group& n : parts_->names) {
    std::vector<ExpressionNode> q, v;
    for (int i = 0; i < n.count; ++i, ++at) {
      q.push_back(parts_->graph->variable(at));
      v.push_back(parts_->graph->variable(velocity(at)));
    }
    if (n.list) {
      parts_->scope.set_list(n.name, n.first, q);
      parts_->scope.set_list(n.name + "'", n.first, v);
      parts_->scope.set_list("v_" + n.name, n.first, v);
    } else {
      parts_->scope.set(n.name, q[0]);
      parts_->scope.set(n.name + "'", v[0]);
      parts_->scope.set("v_" + n.name, v[0]);
    }
  }
  parts_->forces.assign(parts_->coordinates.size(), parts_->graph->constant(0));
}

std::vector<int> ExpressionModel::velocities() const {
  std::vector<int> all(parts_->coordinates.size());
  std::iota(all.begin(), all.end(), dofs());
  return all;
}

namespace {

// Throws unless the expression is free of the given variables.
void refuse(const ExpressionGraph& graph, ExpressionNode n, int first, int last,
            const std::string& message) {
  for (const int i : graph.variables(n)) {
    if (i >= first && i <= last) throw Error(message);
  }
}

}  // namespace

void ExpressionModel::set_kinetic(std::string_view text) {
  parts_->kinetic = lilyan::parse(*parts_->graph, text, parts_->scope);
  parts_->lagrangian = parts_->graph->subtract(parts_->kinetic, parts_->potential);
}

void ExpressionModel::set_potential(std::string_view text) {
  parts_->potential = lilyan::parse(*parts_->graph, text, parts_->scope);
  parts_->lagrangian = parts_->graph->subtract(parts_->kinetic, parts_->potential);
}

void ExpressionModel::set_lagrangian(std::string_view text) {
  parts_->lagrangian = lilyan::parse(*parts_->graph, text, parts_->scope);
}

void ExpressionModel::add_force(int coordinate, std::string_view text, std::optional<int> i) {
  parts_->forces[static_cast<std::size_t>(coordinate)] = i ? parse(text, *i) : parse(text);
  parts_->has_forces = true;
}

void ExpressionModel::set_dissipation(std::string_view text) {
  parts_->dissipation = lilyan::parse(*parts_->graph, text, parts_->scope);
  refuse(*parts_->graph, parts_->dissipation, time(), time(),
         "a Rayleigh function cannot depend on time");
  parts_->has_dissipation = true;
}

void ExpressionModel::add_constraint(std::string_view text, std::optional<int> i) {
  const ExpressionNode g = i ? parse(text, *i) : parse(text);
  refuse(*parts_->graph, g, dofs(), 2 * dofs() - 1,
         "a constraint is between coordinates: velocities cannot be in it");
  refuse(*parts_->graph, g, time(), time(), "a constraint cannot depend on time");
  if (parts_->graph->variables(g).empty()) throw Error("no coordinate is in this constraint");
  parts_->constraints.emplace_back(i ? fmt::format("{}, i = {}", text, *i) : std::string(text), g);
}

double ExpressionModel::number(std::string_view text) {
  return *parts_->graph->constant_value(lilyan::parse(*parts_->graph, text, parts_->parameters));
}

double ExpressionModel::number(std::string_view text, int i) {
  return *parts_->graph->constant_value(
      lilyan::parse(*parts_->graph, text, parts_->with_index(parts_->parameters, i)));
}

ExpressionScope ExpressionModel::Parts::with_index(const ExpressionScope& of, int i) const {
  ExpressionScope indexed = of;
  if (!indexed.has("i")) indexed.set("i", graph->constant(i));
  return indexed;
}

// The expression with all velocities zero.
ExpressionNode ExpressionModel::Parts::at_rest(ExpressionNode n) const {
  std::vector<ExpressionNode> image(static_cast<std::size_t>(n) + 1, -1);
  for (const ExpressionNode k : graph->reachable(std::vector{n})) {
    ExpressionNode& to = image[static_cast<std::size_t>(k)];
    const int variable = graph->variable_index(k);
    const ExpressionArguments a = graph->arguments(k);
    const int dofs = static_cast<int>(coordinates.size());
    if (variable >= dofs && variable < 2 * dofs) {
      to = graph->constant(0);
    } else if (a.size() == 0 || variable >= 0) {
      to = k;
    } else {
      std::array<ExpressionNode, 3> with{-1, -1, -1};
      for (int i = 0; i < a.size(); ++i) {
        with[static_cast<std::size_t>(i)] = image[static_cast<std::size_t>(a[i])];
      }
      to = graph->apply(graph->operation(k), with[0], with[1], with[2]);
    }
  }
  return image[static_cast<std::size_t>(n)];
}

// L is separable where ∂²L/∂v² is constant and diagonal, ∂²L/∂q∂v is zero, there is no time in it,
// and ∂L/∂v is zero at rest.
void ExpressionModel::find_structure() {
  parts_->separable = false;
  parts_->masses.assign(parts_->coordinates.size(), 0.0);
  if (parts_->graph->depends(parts_->lagrangian, time())) return;
  const std::vector<int> v = velocities();
  const std::vector<ExpressionNode> p = gradient(*parts_->graph, parts_->lagrangian, v);
  for (const ExpressionNode momentum : p) {
    const auto value = parts_->graph->constant_value(parts_->at_rest(momentum));
    if (!value || *value != 0) return;
    for (const int i : parts_->graph->variables(momentum)) {
      if (i < dofs()) return;
    }
  }
  for (const auto& [row, column, node] : jacobian(*parts_->graph, p, v)) {
    const auto value = parts_->graph->constant_value(node);
    if (!value || (row != column && *value != 0)) return;
    if (row == column) parts_->masses[static_cast<std::size_t>(row)] = *value;
  }
  for (const double m : parts_->masses) {
    if (!(m > 0) || !std::isfinite(m)) return;
  }
  if (parts_->has_dissipation) {
    for (const int i : parts_->graph->variables(parts_->dissipation)) {
      if (i < dofs()) return;
    }
  }
  parts_->separable = true;
}

std::unique_ptr<System> ExpressionModel::make_system(bool dissipation_as_force) {
  const std::set<int> used = parts_->graph->variables(parts_->lagrangian);
  for (int i = 0; i < dofs(); ++i) {
    if (used.contains(velocity(i))) continue;
    throw Error(
        fmt::format("the velocity {}' is not in the kinetic energy: the coordinate has no "
                    "inertia",
                    parts_->coordinates[static_cast<std::size_t>(i)]));
  }
  find_structure();
  parts_->made = true;
  std::unique_ptr<System> system;
  if (parts_->separable) {
    system = std::make_unique<System>(parts_->masses, 1);
    system->add(expression_potential(
        parts_->graph, parts_->graph->negate(parts_->at_rest(parts_->lagrangian)), dofs()));
  } else {
    system = std::make_unique<System>(
        std::make_unique<ExpressionLagrangian>(*parts_->graph, parts_->lagrangian, dofs()));
  }
  add_to(*system, dissipation_as_force);
  if (parts_->momenta.empty()) name_momenta(true);
  return system;
}

void ExpressionModel::add_to(System& system, bool dissipation_as_force) {
  if (parts_->has_forces)
    system.add(std::make_unique<ExpressionForce>(*parts_->graph, parts_->forces, false));
  if (parts_->has_dissipation && parts_->separable && !dissipation_as_force) {
    system.add(std::make_unique<ExpressionDissipation>(parts_->graph, parts_->dissipation, dofs()));
  } else if (parts_->has_dissipation) {
    std::vector<ExpressionNode> friction =
        gradient(*parts_->graph, parts_->dissipation, velocities());
    for (ExpressionNode& f : friction) f = parts_->graph->negate(f);
    system.add(std::make_unique<ExpressionForce>(*parts_->graph, std::move(friction), true));
  }
  const Vector origin = Vector::Zero(dofs());
  for (const auto& [text, g] : parts_->constraints) {
    // The constant among its terms, where it is small; of large ones the others tell the size.
    const double constant = std::abs(
        *ExpressionEvaluator(*parts_->graph, std::vector{g}).run(dofs(), origin.data(), {}, 0));
    system.add(std::make_unique<ExpressionConstraint>(
        *parts_->graph, text, g, dofs(), std::isfinite(constant) ? std::min(constant, 1.0) : 1.0));
  }
}

void ExpressionModel::name_momenta(bool with_energy) {
  parts_->momenta = gradient(*parts_->graph, parts_->lagrangian, velocities());
  std::vector<ExpressionNode> products;
  int at = 0;
  for (const Group& n : parts_->names) {
    std::vector<ExpressionNode> own;
    for (int i = 0; i < n.count; ++i, ++at) {
      own.push_back(momentum(at));
      products.push_back(
          parts_->graph->multiply(momentum(at), parts_->graph->variable(velocity(at))));
    }
    if (n.list) {
      parts_->scope.set_list("p_" + n.name, n.first, own);
    } else {
      parts_->scope.set("p_" + n.name, own[0]);
    }
  }
  // A name for the energy, unless the model uses it for something else.
  if (with_energy && !parts_->scope.has("energy")) {
    parts_->scope.set("energy",
                      parts_->graph->subtract(parts_->graph->sum(products), parts_->lagrangian));
  }
}

std::vector<int> ExpressionModel::conserved_momenta() const {
  std::vector<int> all;
  if (!parts_->made) return all;
  std::set<int> acted_on = parts_->graph->variables(parts_->lagrangian);
  for (const auto& [text, g] : parts_->constraints) acted_on.merge(parts_->graph->variables(g));
  const std::set<int> damped =
      parts_->has_dissipation ? parts_->graph->variables(parts_->dissipation) : std::set<int>();
  for (int i = 0; i < dofs(); ++i) {
    if (!acted_on.contains(i) && !damped.contains(velocity(i)) &&
        parts_->graph->is_constant(parts_->forces[static_cast<std::size_t>(i)], 0)) {
      all.push_back(i);
    }
  }
  return all;
}

ExpressionNode ExpressionModel::parse(std::string_view text) {
  return lilyan::parse(*parts_->graph, text, parts_->scope);
}

ExpressionNode ExpressionModel::parse(std::string_view text, int i) {
  return lilyan::parse(*parts_->graph, text, parts_->with_index(parts_->scope, i));
}

}  // namespace lilyan
