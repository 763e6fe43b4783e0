// Contact of everything with everything, through which nothing passes: a barrier (contact/barrier.hpp) between all
// pairs of points, edges and triangles of surfaces that may touch.
//
// The energy is infinite where the straight path of a step, from x₀ to x₀ + d, is not free of intersections, whatever
// the nodes of the evaluation are. So the minimiser of a step cannot choose such a path, and an accepted step never
// makes bodies pass through each other (contact/barrier_path.hpp: a pair is apart only where a bound proves it). AVF
// takes the mean force over this very path, and integrates it until energy is kept. Methods that do not minimise
// cannot step a system with such an energy.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lilyan/contact/barrier_pairs.hpp"
#include "lilyan/contact/contact_points.hpp"
#include "lilyan/model/energy_memory.hpp"

namespace lilyan {

class BarrierContact final : public ContactEnergy, public ChangesBetweenSteps {
 public:
  // x are the initial positions. Throws Error unless reach and energy are positive.
  BarrierContact(BarrierModel model, const Vector& x);

  [[nodiscard]] Stencils stencils() const override { return first_->stencils(); }
  [[nodiscard]] bool translation_invariant() const override { return !model_.with_obstacles; }
  [[nodiscard]] bool rotation_invariant() const override { return !model_.with_obstacles; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

  [[nodiscard]] Abilities abilities() const override {
    return {.changes = this, .polynomial = this, .blocks_paths = true};
  }
  [[nodiscard]] std::unique_ptr<EnergyMemory> make_memory() const override;
  [[nodiscard]] std::optional<Stencils> stencils_now(const EnergyMemory& memory) const override;
  bool begin_step(const StepStart& start, EnergyMemory& memory) const override;
  bool meet(const double* x0, const double* d, EnergyMemory& memory) const override;
  bool free_start(const double* x0, double* d, const EnergyMemory& memory) const override;
  [[nodiscard]] double largest_step(const double* along, const EnergyMemory& memory) const override;
  int find_walls(const StepTrial& trial, EnergyMemory& memory) const override;
  void add_walls(const EnergyMemory& memory, double* gradient) const override;
  void forget_walls(EnergyMemory& memory) const override;

  [[nodiscard]] ContactPoint contact_point(std::size_t n, const double* x, const double* d,
                                           const EnergyMemory* memory) const override;
  [[nodiscard]] bool between_bodies() const override { return !model_.with_obstacles; }

  // The largest coefficient of friction that any pair has. Pressures of contact points are in shares of it.
  [[nodiscard]] double strongest_friction() const;
  [[nodiscard]] const BarrierModel& model() const { return model_; }
  [[nodiscard]] const BarrierPairs& pairs(const EnergyMemory* memory) const;

 private:
  struct Found;
  [[nodiscard]] bool find(const Evaluation& at, const BarrierPairs::Candidate& candidate,
                          Found& found) const;

  BarrierModel model_;
  std::unique_ptr<BarrierPairs> first_;  // at the initial positions
};

}  // namespace lilyan
