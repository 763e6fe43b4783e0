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

#include <utility>
#include <vector>

#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/energy.hpp"

namespace lilyan {

class RepulsionSprings final : public Energy {
 public:
  // Throws Error unless k is positive.
  RepulsionSprings(Obstacle obstacle, std::vector<int> vertices, double k, double thickness);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return obstacle_.stencils(); }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

  [[nodiscard]] bool changes() const override { return true; }
  [[nodiscard]] bool remembers() const override { return true; }
  bool begin_step(const StepOpening& opening) override;
  void end_step(double t) override;
  [[nodiscard]] int springs() const;  // how many there are now

 private:
  struct Spring {
    bool active = false;
    double offset = 0;  // x_s·n_s
    Vec3 normal = Vec3::Zero();
  };
  // The springs of a step that began at t. Steps may be given up and tried again from earlier on.
  struct Past {
    double t;
    std::vector<std::pair<std::size_t, Spring>> active;
  };
  // Back to the springs of the last step that began before t.
  void recall(double t);
  ObstacleContact obstacle_;  // for its distance only
  double k_;
  std::vector<Spring> springs_;  // of each vertex
  std::vector<Past> past_;
};

}  // namespace lilyan
