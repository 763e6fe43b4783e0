#include "lilyan/step/table_plan.hpp"

#include "lilyan/numeric/quadrature.hpp"

namespace lilyan {
namespace {

// As many as an adaptive mean has in all but singular steps.
constexpr std::size_t kUsualNodes = 64;

void split_nodes(StagePlan& plan) {
  plan.start_weight = 0;
  plan.solved_nodes.clear();
  for (const Node& node : plan.stage.nodes) {
    if (node.theta == 0) {
      plan.start_weight += node.weight;
    } else {
      plan.solved_nodes.push_back(node);
    }
  }
  for (const Node& node : plan.stage.end_forces) {
    if (node.theta == 0) {
      plan.end_start_weight += node.weight;
    } else {
      plan.end_nodes.push_back({.theta = node.theta, .gradient = node.weight});
    }
  }
}

// The end velocity's response (times h) to a unit change of displacement, or of velocity (times h),
// at stage k.
double response(const std::vector<Stage>& stages, std::size_t k, double displacement,
                double velocity) {
  std::vector<double> d(stages.size(), 0.0);
  std::vector<double> v(stages.size(), 0.0);
  d[k] = displacement;
  v[k] = stages[k].displacement * displacement + velocity;
  const auto sum = [&](const std::vector<Known>& known) {
    double s = 0;
    for (const Known& p : known) {
      if (p.point < 1) continue;
      const auto i = static_cast<std::size_t>(p.point - 1);
      s += p.position * d[i] + p.velocity * v[i];
    }
    return s;
  };
  for (std::size_t m = k + 1; m < stages.size(); ++m) {
    d[m] = sum(stages[m].target);
    v[m] = stages[m].displacement * d[m] + sum(stages[m].velocity);
  }
  return v.back();
}

}  // namespace

bool StagePlan::needs_start_gradient() const {
  if (start_weight != 0 || end_start_weight != 0) return true;
  for (const auto* known : {&stage.target, &stage.velocity}) {
    for (const Known& p : *known) {
      if (p.point == 0 && p.force != 0) return true;
    }
  }
  return false;
}

TablePlan::TablePlan(const MinimisationTable& table)
    : needs_gradient(table.stages.size(), 0),
      averages_force(table.averages_force),
      adaptive_nodes(table.adaptive_nodes),
      exact_nodes(table.exact_nodes) {
  for (std::size_t k = 0; k < table.stages.size(); ++k) {
    StagePlan plan{.stage = table.stages[k]};
    split_nodes(plan);
    plan.force_nodes = plan.stage.nodes;
    if (adaptive_nodes) {
      // Four points have order eight, like the highest of the compositions.
      plan.force_nodes.clear();
      for (const Node& n : gauss(4).nodes) plan.force_nodes.push_back({n.theta, n.weight / 2});
    }
    plan.displacement_effect = response(table.stages, k, 1, 0);
    plan.velocity_effect = response(table.stages, k, 0, 1);
    for (const auto* known : {&plan.stage.target, &plan.stage.velocity}) {
      for (const Known& p : *known) {
        if (p.point < 0) needs_history = true;
        if (p.point > 0 && p.force != 0) needs_gradient[static_cast<std::size_t>(p.point - 1)] = 1;
      }
    }
    needs_start_gradient = needs_start_gradient || plan.needs_start_gradient();
    const Stage& s = plan.stage;
    for (const Node& n : s.nodes) force_share += plan.displacement_effect * n.weight;
    for (const Known& p : s.target) force_share += plan.displacement_effect * p.force;
    for (const Node& n : s.end_forces) force_share += plan.velocity_effect * n.weight;
    for (const Known& p : s.velocity) force_share += plan.velocity_effect * p.force;
    stages.push_back(std::move(plan));
  }
}

void TablePlan::set_path_nodes(const std::vector<Node>& quadrature) {
  StagePlan& plan = stages.front();
  for (auto* nodes : {&plan.stage.nodes, &plan.solved_nodes}) nodes->reserve(kUsualNodes);
  plan.stage.nodes.clear();
  for (const Node& n : quadrature) plan.stage.nodes.push_back({n.theta, n.weight / 2});
  plan.solved_nodes = plan.stage.nodes;
}

}  // namespace lilyan
