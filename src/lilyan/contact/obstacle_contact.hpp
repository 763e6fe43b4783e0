// Obstacles, and contact of vertices with one by penalty:
//   E(x) = Σ ½ kᵢ min(d(x_i) − r, 0)²,                                                          (1)
// d the signed distance to the obstacle, r a thickness that vertices have, and kᵢ the stiffness of the
// contact at a vertex.
//
// Mean forces over a step (AVF, discrete gradients) are integrated exactly, whatever the method's
// own quadrature: for planes, where d is linear along the path from d₀ to d₁, by the difference
// quotient φ̄ = (φ(d₁) − φ(d₀))/(d₁ − d₀), which is the derivative by d₁ of the convex function
//   d₀<0, d₁<0:   G = ½k (d₀d₁ + ½d₁²)                          φ̄ = ½k (d₀ + d₁)
//   d₀≥0, d₁<0:   G = ½k [½u² + 2d₀u + d₀² ln|u|]  from −d₀ to d₁−d₀,   φ̄ = ½k d₁²/(d₁−d₀)
//   d₀<0, d₁≥0:   G = −½k d₀² ln((d₁−d₀)/(−d₀))                 φ̄ = −½k d₀²/(d₁−d₀)             (2)
// for other obstacles with numeric/exact_path_mean.hpp. So bodies keep their energy through contact.
//
// A moving obstacle stands still within a step, where it is at the middle of it; that it is pushed
// into the body before and after is work.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "lilyan/base/types.hpp"
#include "lilyan/contact/contact_points.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/energy_memory.hpp"
#include "lilyan/physics/rigid_motion.hpp"

namespace lilyan {

struct PlaneShape {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // of length one; points to where bodies may be
};
struct SphereShape {
  Vec3 center = Vec3::Zero();
  double radius = 1;
};
struct BoxShape {
  Vec3 center = Vec3::Zero();
  Vec3 half = Vec3::Ones();
};
struct CapsuleShape {
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::UnitX();
  double radius = 1;
};
using ObstacleShape = std::variant<PlaneShape, SphereShape, BoxShape, CapsuleShape>;

// d(x), negative inside, with its gradient (a unit vector) and its Hessian. d is 1-Lipschitz. Where
// two sides are equally near (the centre of a sphere, the axis of a capsule, the diagonals inside a
// box) one of the possible gradients is taken.
struct SignedDistance {
  double value = 0;
  Vec3 normal = Vec3::Zero();
  Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero();
};
[[nodiscard]] SignedDistance signed_distance(const ObstacleShape& shape, const Vec3& x);

struct Obstacle {
  ObstacleShape shape;
  bool inside_out = false;  // bodies are kept inside
  RigidMotion motion;
  std::string name = {};  // of the user's, for files; may be empty

  // d(x) when the obstacle has been moved to `pose`.
  [[nodiscard]] SignedDistance distance(const Pose& pose, const Vec3& x) const;
  // d(x) in the frame in which the obstacle rests.
  [[nodiscard]] SignedDistance distance_at_rest(const Vec3& x) const;
};

// Where an obstacle is, and where it comes from and goes to in the step that is being made.
struct ObstaclePoses {
  Pose now;
  Pose step_from, step_to;
  double step_h = 0;  // 0: no step yet

  void begin_step(const RigidMotion& motion, double t, double h);
  // Mean velocity over the step of the obstacle's material at x.
  [[nodiscard]] Vec3 velocity(const Vec3& x) const;
};

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
