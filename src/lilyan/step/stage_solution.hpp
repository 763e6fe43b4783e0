// What a step in stages knows while it is made.
#pragma once

#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/objective.hpp"

namespace lilyan {

// A point of the step: x − x₀, v, and where later stages need them ∇E, the force that is not from potentials and
// the part of it that is dissipation.
struct StagePoint {
  Vector d, v, gradient, force, dissipation;
  double driven = 0;  // power delivered by moving obstacles through dissipation

  void resize(Eigen::Index n) {
    for (Vector* each : {&d, &v, &gradient, &force, &dissipation}) each->setZero(n);
  }
};

// What solving the equation of a stage gives.
struct StageSolution {
  StagePoint point;
  bool solved = false;  // there was something to solve
  Iterate found;        // d, what is left of the equation, h²Σβ∇E, −∂R/∂v
  Linearised forces;    // Σ βF
  // Of dissipation: its weight in the equation, and the power that it delivers to moving obstacles.
  double dissipation_weight = 0;
  double driven = 0;
  // By the rule for the velocity: ∇E and forces at its own nodes, and the weight of dissipation in it.
  Vector end_gradients, end_forces;
  double end_dissipation = 0;

  void resize(Eigen::Index n) {
    point.resize(n);
    found.resize(n);
    for (Vector* each :
         {&found.potential, &found.dissipation, &forces.force, &end_gradients, &end_forces}) {
      each->setZero(n);
    }
  }
};

// Parts of M (v₁ − v₀), and the work of forces that see the velocities of their own points.
struct StepImpulses {
  Vector residual, potential, force, dissipation;  // the last is a part of the one before
  double force_work = 0;
  double dissipation_work = 0;
  double driven = 0;  // work of moving obstacles through dissipation
  Vector coasting;    // the velocity at the end, if there were no forces

  void clear(Eigen::Index n) {
    for (Vector* each : {&residual, &potential, &force, &dissipation, &coasting}) each->setZero(n);
    force_work = dissipation_work = driven = 0;
  }
};

// A step, from its start to the last of its stages.
struct StepData {
  StagePoint start, previous;
  std::vector<StageSolution> stages;
  StepImpulses impulses;
  bool warm = false;  // the displacements of the stages are a good guess
  Vector target, known_velocity, end_x, scratch;

  [[nodiscard]] const StagePoint& point(int index) const {
    if (index == 0) return start;
    return index < 0 ? previous : stages[static_cast<std::size_t>(index - 1)].point;
  }
  void resize(Eigen::Index n, std::size_t count) {
    start.resize(n);
    previous.resize(n);
    stages.resize(count);
    for (StageSolution& stage : stages) stage.resize(n);
    impulses.clear(n);
    for (Vector* each : {&target, &known_velocity, &end_x, &scratch}) each->setZero(n);
  }
};

}  // namespace lilyan
