// Contact of vertices with an obstacle by penalty:
//   E(x) = Σ ½ kᵢ min(d(x_i) − r, 0)²,                                                          (1)
// d the signed distance to the obstacle, r a thickness that vertices have, and kᵢ the stiffness of the
// contact at a vertex.
//
// Mean forces over a step (AVF, discrete gradients) are integrated exactly, whatever the method's
// own quadrature: for planes, where d is linear along the path, by a formula (contact/law.hpp), for other obstacles
// with numeric/exact_path_mean.hpp. So bodies keep their energy through contact.
//
// A moving obstacle stands still within a step, where it is at the middle of it; that it is pushed
// into the body before and after is work.
#pragma once

#include <span>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/contact/contact_points.hpp"
#include "lilyan/contact/obstacle.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

class ObstacleContact final : public ContactEnergy,
                              public DiscreteGradient,
                              public ChangesBetweenSteps,
                              public KnowsLengths {
 public:
  // Throws Error unless k is positive.
  ObstacleContact(Obstacle obstacle, std::vector<int> vertices, const ContactStiffness& k,
                  double thickness);

  [[nodiscard]] Stencils stencils() const override { return {1, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] Abilities abilities() const override {
    return {.discrete_gradient = this,
            .changes = obstacle_.motion.moves() ? this : nullptr,
            .polynomial = this,
            .lengths = this};
  }
  void raise_own_lengths(const double* x, int dimension, const EnergyMemory* memory,
                         std::span<double> lengths) const override;
  void discrete_gradient(const DiscreteEvaluation& at) const override;

  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override;
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override;
  void end_step(double t, EnergyMemory& memory) const override;

  [[nodiscard]] ContactPoint contact_point(std::size_t n, const double* x, const double* d,
                                           const EnergyMemory* memory) const override;
  [[nodiscard]] bool between_bodies() const override { return false; }

  [[nodiscard]] const Obstacle& obstacle() const { return obstacle_; }
  // Where the obstacle is.
  [[nodiscard]] const ObstaclePoses& poses(const EnergyMemory* memory) const;

 private:
  struct Memory;
  class Penalty;

  Obstacle obstacle_;
  Vec3 origin_;    // a point of the obstacle
  Obstacle near_;  // the obstacle as seen from there, at rest
  std::vector<int> vertices_;
  std::vector<double> k_;  // of each of them
  double thickness_;
  double extent_;          // how large the numbers are that the shape is given by, seen from there
  ObstaclePoses at_rest_;  // at time 0
};

}  // namespace lilyan
