// A minimisation table made ready for its interpreter.
#pragma once

#include <vector>

#include "lilyan/method/method.hpp"
#include "lilyan/model/energy.hpp"

namespace lilyan {

struct StagePlan {
  Stage stage;
  // The stage's nodes, those at θ = 0 (where the gradient is known) apart from the others.
  double start_weight = 0;
  std::vector<Node> solved_nodes;
  // Where external forces act: at the stage's nodes, or those of a rule of their own where the number of
  // nodes follows the potential, which knows nothing of them.
  std::vector<Node> force_nodes;
  double end_start_weight = 0;
  std::vector<WeightedNode> end_nodes;
  // Effect on the end velocity, forces held fixed: δv₁ = displacement_effect δd/h for a change δd
  // of this stage's displacement, δv₁ = velocity_effect δv for one of its velocity.
  double displacement_effect = 0;
  double velocity_effect = 0;

  [[nodiscard]] bool needs_start_gradient() const;
};

struct TablePlan {
  explicit TablePlan(const MinimisationTable& table);
  // Gives the one stage of a table another rule for the mean over the path (AVF).
  void set_path_nodes(const std::vector<Node>& quadrature);

  std::vector<StagePlan> stages;
  std::vector<char> needs_gradient;  // at point k = 1, 2, … (by later stages)
  bool needs_start_gradient = false;
  bool needs_history = false;
  // Share of h F that a constant force F gives to M v₁ within the step: one, but for methods that
  // look at the step before, whose forces go on acting through later steps.
  double force_share = 0;
  bool averages_force = false;
  bool adaptive_nodes = false;
  bool exact_nodes = false;
};

}  // namespace lilyan
