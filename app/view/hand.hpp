// Pulling at the bodies of a run.
#pragma once

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/view/pull_force.hpp"

namespace lilyan::view {

class Hand {
 public:
  // The scene must outlive this.
  explicit Hand(Scene& scene) : scene_(scene) {}

  // The system gets its force when it is first pulled at: a run that nobody touches is the same, to
  // the bit, as without a hand.
  void pull(SceneRun& run, int vertex, const Vec3& target);
  void release();
  void begin_step(double t) {
    if (force_) force_->begin_step(t);
  }

 private:
  // Firm beside what holds the vertex in its body, and soft enough for the method's step.
  [[nodiscard]] double stiffness(const State& state, int vertex) const;
  [[nodiscard]] Vec3 gradient(const Vector& x, int vertex) const;

  Scene& scene_;
  PullForce* force_ = nullptr;  // owned by the system
  int vertex_ = -1;             // that is held
  double stiffness_ = 0;
};

}  // namespace lilyan::view
