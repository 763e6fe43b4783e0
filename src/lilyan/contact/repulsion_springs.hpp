// Repulsion springs (Rojas, Liu, Kavan, section 3, "Collisions"): contact as it is usually done.
//
// At the start of a step every vertex inside the obstacle gets a spring to the nearest point x_s of
// its surface, with normal n_s:
//   E(x) = k ((x − x_s)·n_s)²                                                                   (1)
// for that step. It is removed when the vertex is outside and its velocity points away from the
// surface; while one of these is not so it stays, set up anew. That springs appear and disappear is
// a fault of the model, which the ledger shows: energy is not kept through contact
// (contact/obstacle_contact.hpp does that).
#pragma once

#include <memory>
#include <vector>

#include "lilyan/contact/obstacle.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

class RepulsionSprings final : public Energy,
                               public DiscreteGradient,
                               public ChangesBetweenSteps,
                               public ForcePolynomial,
                               public KnowsLengths {
 public:
  // Throws Error unless k is positive.
  RepulsionSprings(Obstacle obstacle, std::vector<int> vertices, double k, double thickness);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return {1, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
  [[nodiscard]] Abilities abilities() const override {
    return {.discrete_gradient = this, .changes = this, .polynomial = this, .lengths = this};
  }
  void raise_own_lengths(const double* x, int dimension, const EnergyMemory* memory,
                         std::span<double> lengths) const override;
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] std::optional<int> degree_of_force() const override { return 1; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

  [[nodiscard]] bool depends_on_past() const override { return true; }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override;
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override;

  // How many springs there are.
  [[nodiscard]] static int count(const EnergyMemory& memory);

 private:
  struct Memory;

  Obstacle obstacle_;
  std::vector<int> vertices_;
  double k_;
  double thickness_;
};

}  // namespace lilyan
