// The objective of one stage of a step.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

// Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d), and external forces.
//
// Forces have no potential: −h² Σ βᵢ Fᵢ(d) joins the gradient linearised about the current iterate
// d_k, −h² [f − D (d − d_k)] with D ≥ 0 the diagonal of their damping, which is the gradient of a
// convex quadratic. Newton linearises anew after every step, so what it converges to is exact.
class StepObjective final : public Objective {
 public:
  StepObjective(Assembler& assembler, const SolverOptions& options);

  struct Step {
    const Vector* x0;
    double t0;
    double h;
    double time = 1;                    // the stage's point is at t0 + time·h
    std::span<const Node> nodes;        // (θᵢ, βᵢ), θᵢ ≠ 0
    std::span<const Node> force_nodes;  // all (θᵢ, βᵢ), for external forces
    // A residual r becomes the velocity error velocity_weight/h · M⁻¹r at the end of the step.
    double velocity_weight;
    double energy_scale;  // at the start of the step
    // The velocity that external forces see: path_weight d/h + path_velocity where not null; at
    // θ = 0 it is *start_velocity where not null.
    double path_weight;
    const Vector* path_velocity;
    const Vector* start_velocity;
  };
  void prepare(const Step& step);
  [[nodiscard]] Vector& target() { return target_; }  // y

  bool linearise(const Vector& d) override;
  double evaluate(const Vector& d, Vector& gradient) override;
  void hessian(const Vector& d, double projection, std::vector<double>& values) override;
  double defect(const Vector& d, const Vector& gradient) override;
  [[nodiscard]] double norm(const Vector& gradient) const override;
  [[nodiscard]] Rounding rounding(const Vector& d, const Vector& diagonal) const override;

  // h² Σ βᵢ ∇E(x₀ + θᵢ d) of the last evaluation.
  [[nodiscard]] const Vector& weighted_gradients() const { return gradients_; }
  // Σ βᵢ Fᵢ of the last linearisation.
  [[nodiscard]] const Vector& weighted_forces() const { return forces_; }
  // h² D, what the last linearisation adds to the diagonal of the Hessian; only with forces.
  [[nodiscard]] auto damping() const { return (step_.h * step_.h) * damping_; }
  // Velocity error relative to the energy scale, at the last call of defect().
  [[nodiscard]] double relative_velocity_error() const { return velocity_error_; }

  // sum += Σ wᵢ Fᵢ over the given nodes (θᵢ, wᵢ) at d, with the velocities of this step.
  void add_path_forces(const Vector& d, std::span<const Node> nodes, Vector& sum);

 private:
  void path_point(const Vector& d, double theta);

  Assembler& assembler_;
  const System& system_;
  const Vector& mass_;
  double energy_tolerance_;
  double velocity_tolerance_;
  Step step_{};
  double velocity_error_ = 0;
  std::vector<WeightedNode> nodes_;
  Vector target_;
  Vector gradients_;
  // External forces: where linearised, their sum and damping there, and workspace.
  bool forced_ = false;
  Vector linearised_, forces_, damping_, point_x_, point_v_, scratch_;
};

}  // namespace lilyan
