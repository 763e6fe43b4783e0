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

ExpressionModel::ExpressionModel()
    : graph_(std::make_shared<ExpressionGraph>()),
      kinetic_(graph_->constant(0)),
      potential_(kinetic_),
      lagrangian_(kinetic_),
      dissipation_(kinetic_) {}

void ExpressionModel::add_parameter(const std::string& name, double value) {
  parameters_.set(name, graph_->constant(value));
  scope_.set(name, graph_->constant(value));
}

void ExpressionModel::add_parameter(const std::string& name, const std::vector<double>& list) {
  std::vector<ExpressionNode> nodes;
  for (const double value : list) nodes.push_back(graph_->constant(value));
  parameters_.set_list(name, 1, nodes);
  scope_.set_list(name, 1, nodes);
}

void ExpressionModel::add_coordinate(const std::string& name) {
  names_.push_back({.name = name});
  coordinates_.push_back(name);
}

void ExpressionModel::add_coordinates(const std::string& name, int first, int last) {
  if (last < first) throw Error(fmt::format("{}[{}..{}] has no elements", name, first, last));
  names_.push_back({.name = name, .first = first, .count = last - first + 1, .list = true});
  for (int i = first; i <= last; ++i) coordinates_.push_back(fmt::format("{}[{}]", name, i));
}

void ExpressionModel::finish_coordinates() {
  if (coordinates_.empty()) throw Error("there is no coordinate");
  const bool lists = std::ranges::any_of(names_, [](const Group& g) { return g.list; });
  if (lists && parameters_.has("i")) {
    throw Error("a parameter named 'i' would hide the index of lists; give it another name");
  }
  scope_.set("t", graph_->variable(time()));
  int at = 0;
  for (const Group& n : names_) {
    std::vector<ExpressionNode> q, v;
    for (int i = 0; i < n.count; ++i, ++at) {
      q.push_back(graph_->variable(at));
      v.push_back(graph_->variable(velocity(at)));
    }
    if (n.list) {
      scope_.set_list(n.name, n.first, q);
      scope_.set_list(n.name + "'", n.first, v);
      scope_.set_list("v_" + n.name, n.first, v);
    } else {
      scope_.set(n.name, q[0]);
      scope_.set(n.name + "'", v[0]);
      scope_.set("v_" + n.name, v[0]);
    }
  }
  forces_.assign(coordinates_.size(), graph_->constant(0));
}

std::vector<int> ExpressionModel::velocities() const {
  std::vector<int> all(coordinates_.size());
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
  kinetic_ = lilyan::parse(*graph_, text, scope_);
  lagrangian_ = graph_->subtract(kinetic_, potential_);
}

void ExpressionModel::set_potential(std::string_view text) {
  potential_ = lilyan::parse(*graph_, text, scope_);
  lagrangian_ = graph_->subtract(kinetic_, potential_);
}

void ExpressionModel::set_lagrangian(std::string_view text) {
  lagrangian_ = lilyan::parse(*graph_, text, scope_);
}

void ExpressionModel::add_force(int coordinate, std::string_view text, std::optional<int> i) {
  forces_[static_cast<std::size_t>(coordinate)] = i ? parse(text, *i) : parse(text);
  has_forces_ = true;
}

void ExpressionModel::set_dissipation(std::string_view text) {
  dissipation_ = lilyan::parse(*graph_, text, scope_);
  refuse(*graph_, dissipation_, time(), time(), "a Rayleigh function cannot depend on time");
  has_dissipation_ = true;
}

void ExpressionModel::add_constraint(std::string_view text, std::optional<int> i) {
  const ExpressionNode g = i ? parse(text, *i) : parse(text);
  refuse(*graph_, g, dofs(), 2 * dofs() - 1,
         "a constraint is between coordinates: velocities cannot be in it");
  refuse(*graph_, g, time(), time(), "a constraint cannot depend on time");
  if (graph_->variables(g).empty()) throw Error("no coordinate is in this constraint");
  constraints_.emplace_back(i ? fmt::format("{}, i = {}", text, *i) : std::string(text), g);
}

double ExpressionModel::number(std::string_view text) {
  return *graph_->constant_value(lilyan::parse(*graph_, text, parameters_));
}

double ExpressionModel::number(std::string_view text, int i) {
  return *graph_->constant_value(lilyan::parse(*graph_, text, with_index(parameters_, i)));
}

ExpressionScope ExpressionModel::with_index(const ExpressionScope& scope, int i) {
  ExpressionScope indexed = scope;
  if (!indexed.has("i")) indexed.set("i", graph_->constant(i));
  return indexed;
}

// The expression with all velocities zero.
ExpressionNode ExpressionModel::at_rest(ExpressionNode n) const {
  std::vector<ExpressionNode> image(static_cast<std::size_t>(n) + 1, -1);
  for (const ExpressionNode k : graph_->reachable(std::vector{n})) {
    ExpressionNode& to = image[static_cast<std::size_t>(k)];
    const int variable = graph_->variable_index(k);
    const ExpressionArguments a = graph_->arguments(k);
    if (variable >= dofs() && variable < time()) {
      to = graph_->constant(0);
    } else if (a.size() == 0 || variable >= 0) {
      to = k;
    } else {
      std::array<ExpressionNode, 3> with{-1, -1, -1};
      for (int i = 0; i < a.size(); ++i) {
        with[static_cast<std::size_t>(i)] = image[static_cast<std::size_t>(a[i])];
      }
      to = graph_->apply(graph_->operation(k), with[0], with[1], with[2]);
    }
  }
  return image[static_cast<std::size_t>(n)];
}

// L is separable where ∂²L/∂v² is constant and diagonal, ∂²L/∂q∂v is zero, there is no time in it,
// and ∂L/∂v is zero at rest.
void ExpressionModel::find_structure() {
  separable_ = false;
  masses_.assign(coordinates_.size(), 0.0);
  if (graph_->depends(lagrangian_, time())) return;
  const std::vector<int> v = velocities();
  const std::vector<ExpressionNode> p = gradient(*graph_, lagrangian_, v);
  for (const ExpressionNode momentum : p) {
    const auto value = graph_->constant_value(at_rest(momentum));
    if (!value || *value != 0) return;
    for (const int i : graph_->variables(momentum)) {
      if (i < dofs()) return;
    }
  }
  for (const auto& [row, column, node] : jacobian(*graph_, p, v)) {
    const auto value = graph_->constant_value(node);
    if (!value || (row != column && *value != 0)) return;
    if (row == column) masses_[static_cast<std::size_t>(row)] = *value;
  }
  for (const double m : masses_) {
    if (!(m > 0) || !std::isfinite(m)) return;
  }
  if (has_dissipation_) {
    for (const int i : graph_->variables(dissipation_)) {
      if (i < dofs()) return;
    }
  }
  separable_ = true;
}

std::unique_ptr<System> ExpressionModel::make_system(bool dissipation_as_force) {
  const std::set<int> used = graph_->variables(lagrangian_);
  for (int i = 0; i < dofs(); ++i) {
    if (used.contains(velocity(i))) continue;
    throw Error(
        fmt::format("the velocity {}' is not in the kinetic energy: the coordinate has no "
                    "inertia",
                    coordinates_[static_cast<std::size_t>(i)]));
  }
  find_structure();
  made_ = true;
  std::unique_ptr<System> system;
  if (separable_) {
    system = std::make_unique<System>(masses_, 1);
    system->add(expression_potential(graph_, graph_->negate(at_rest(lagrangian_)), dofs()));
  } else {
    system = std::make_unique<System>(
        std::make_unique<ExpressionLagrangian>(*graph_, lagrangian_, dofs()));
  }
  add_to(*system, dissipation_as_force);
  if (momenta_.empty()) name_momenta(true);
  return system;
}

void ExpressionModel::add_to(System& system, bool dissipation_as_force) {
  if (has_forces_) system.add(std::make_unique<ExpressionForce>(*graph_, forces_, false));
  if (has_dissipation_ && separable_ && !dissipation_as_force) {
    system.add(std::make_unique<ExpressionDissipation>(graph_, dissipation_, dofs()));
  } else if (has_dissipation_) {
    std::vector<ExpressionNode> friction = gradient(*graph_, dissipation_, velocities());
    for (ExpressionNode& f : friction) f = graph_->negate(f);
    system.add(std::make_unique<ExpressionForce>(*graph_, std::move(friction), true));
  }
  const Vector origin = Vector::Zero(dofs());
  for (const auto& [text, g] : constraints_) {
    // The constant among its terms, where it is small; of large ones the others tell the size.
    const double constant =
        std::abs(*ExpressionEvaluator(*graph_, std::vector{g}).run(dofs(), origin.data(), {}, 0));
    system.add(std::make_unique<ExpressionConstraint>(
        *graph_, text, g, dofs(), std::isfinite(constant) ? std::min(constant, 1.0) : 1.0));
  }
}

void ExpressionModel::name_momenta(bool with_energy) {
  momenta_ = gradient(*graph_, lagrangian_, velocities());
  std::vector<ExpressionNode> products;
  int at = 0;
  for (const Group& n : names_) {
    std::vector<ExpressionNode> own;
    for (int i = 0; i < n.count; ++i, ++at) {
      own.push_back(momentum(at));
      products.push_back(graph_->multiply(momentum(at), graph_->variable(velocity(at))));
    }
    if (n.list) {
      scope_.set_list("p_" + n.name, n.first, own);
    } else {
      scope_.set("p_" + n.name, own[0]);
    }
  }
  // A name for the energy, unless the model uses it for something else.
  if (with_energy && !scope_.has("energy")) {
    scope_.set("energy", graph_->subtract(graph_->sum(products), lagrangian_));
  }
}

std::vector<int> ExpressionModel::conserved_momenta() const {
  std::vector<int> all;
  if (!made_) return all;
  std::set<int> acted_on = graph_->variables(lagrangian_);
  for (const auto& [text, g] : constraints_) acted_on.merge(graph_->variables(g));
  const std::set<int> damped = has_dissipation_ ? graph_->variables(dissipation_) : std::set<int>();
  for (int i = 0; i < dofs(); ++i) {
    if (!acted_on.contains(i) && !damped.contains(velocity(i)) &&
        graph_->is_constant(forces_[static_cast<std::size_t>(i)], 0)) {
      all.push_back(i);
    }
  }
  return all;
}

ExpressionNode ExpressionModel::parse(std::string_view text) {
  return lilyan::parse(*graph_, text, scope_);
}

ExpressionNode ExpressionModel::parse(std::string_view text, int i) {
  return lilyan::parse(*graph_, text, with_index(scope_, i));
}

}  // namespace lilyan
