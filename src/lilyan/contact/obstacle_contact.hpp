// Contact of vertices with an obstacle, by penalty:
//   E(x) = Σ ½ k min(d(x_i) − r, 0)²,                                                           (1)
// d the signed distance to the obstacle and r a thickness that vertices have.
//
// Mean forces over a step (AVF, discrete gradients) are integrated exactly, whatever the method's
// own quadrature: for planes, where d is linear along the path from d₀ to d₁, by the difference
// quotient φ̄ = (φ(d₁) − φ(d₀))/(d₁ − d₀), which is the derivative by d₁ of the convex function
//   d₀<0, d₁<0:   G = ½k (d₀d₁ + ½d₁²)                          φ̄ = ½k (d₀ + d₁)
//   d₀≥0, d₁<0:   G = ½k [½u² + 2d₀u + d₀² ln|u|]  from −d₀ to d₁−d₀,   φ̄ = ½k d₁²/(d₁−d₀)
//   d₀<0, d₁≥0:   G = −½k d₀² ln((d₁−d₀)/(−d₀))                 φ̄ = −½k d₀²/(d₁−d₀)             (2)
// for other obstacles with contact/path_mean.hpp. So bodies keep their energy through contact.
//
// A moving obstacle stands still within a step, where it is at the middle of it; that it is pushed
// into the body before and after is work.
#pragma once

#include <span>
#include <vector>

#include "lilyan/contact/shape.hpp"
#include "lilyan/contact/touch.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

struct Obstacle {
  ObstacleShape shape;
  bool inside_out = false;  // bodies are kept inside
  RigidMotion motion;
};

class ObstacleContact final : public Energy, public TouchSource {
 public:
  // k is force per length, of each vertex. Throws Error unless it is positive.
  ObstacleContact(Obstacle obstacle, std::vector<int> vertices, double k, double thickness);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return {1, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;
  [[nodiscard]] bool has_discrete_gradient() const override { return true; }
  void discrete_gradient(const DiscreteEvaluation& at) const override;

  [[nodiscard]] bool changes() const override { return obstacle_.motion.moves(); }
  bool begin_step(const StepOpening& opening) override;
  void end_step(double t) override;

  [[nodiscard]] std::span<const int> vertices() const { return vertices_; }
  [[nodiscard]] const Obstacle& obstacle() const { return obstacle_; }
  // d(x) − r where the obstacle is now.
  [[nodiscard]] SignedDistance distance(const Vec3& x) const;
  [[nodiscard]] Stencils touch_stencils() const override { return stencils(); }
  [[nodiscard]] Touch touch(std::size_t n, const double* x, const double* d) const override;
  [[nodiscard]] bool between_bodies() const override { return false; }
  // Velocity of the obstacle's material at x, over the step it is in.
  [[nodiscard]] Vec3 velocity(const Vec3& x) const;

 private:
  // How large the lengths are that the distance of a vertex near x is computed from.
  [[nodiscard]] double size(const Vec3& x) const { return extent_ + x.norm(); }
  // Mean of ∇E over the path of one vertex.
  [[nodiscard]] Vec3 mean_gradient(const Vec3& x0, const Vec3& d) const;
  [[nodiscard]] bool flat() const { return std::holds_alternative<PlaneShape>(obstacle_.shape); }

  Obstacle obstacle_;
  std::vector<int> vertices_;
  double k_;
  double thickness_;
  Pose pose_, step_from_, step_to_;
  double step_h_ = 0;
  double extent_;
};

}  // namespace lilyan
