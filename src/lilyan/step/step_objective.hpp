// The objective of one stage of a step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

// Whether a displacement that rounding errors alone have caused is small beside the displacement by the
// forces of a step from x₀, or beside the body itself, which may be at rest. All are lengths √(δxᵀM δx).
[[nodiscard]] bool small_beside(const System& system, const Vector& x0, double left, double change);

// Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d), and external forces.
//
// Forces have no potential: −h² Σ βᵢ Fᵢ(d) joins the gradient linearised about the current iterate
// d_k, −h² [f − D (d − d_k)] with D ≥ 0 the diagonal of their damping, which is the gradient of a
// convex quadratic. Newton linearises anew after every step, so what it converges to is exact.
//
// Dissipation has a potential in the velocity a d/h + b: with B the weight of the nodes that see
// it, h² B (h/a) R(a d/h + b) joins Φ, whose gradient is h² B ∂R/∂v.
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
    // For dissipation: the weight of the nodes that see the path's velocity; and the velocity at the
    // end of the stage, end_weight d/h + end_velocity where not null.
    double dissipation_weight = 0;
    double end_weight = 1;
    const Vector* end_velocity = nullptr;
    // Where the nodes are a rule for the mean over the path.
    std::optional<PathMeanWeights> mean;
  };
  // The lagged numbers of dissipation for a step by h, and their renewal after a solve. `span` is the step in
  // which forces see it.
  void begin_step(const State& start, double h, const TimeSpan& span) {
    span_ = span;
    dissipation_.begin_step(start, h);
  }
  DissipationAssembler::Renewal renew(const State& start, const Vector& d, double h) {
    return dissipation_.renew(start, d, h);
  }
  void prepare(const Step& step);
  // Whether means are taken over the strain, where energies have such (PathMeanWeights::over_strain).
  void average_strain(bool over_strain) {
    if (step_.mean) step_.mean->over_strain = over_strain;
  }
  // Asks for less: errors so many times as large as the tolerances are good enough.
  void set_slack(double factor) { slack_ = factor; }
  [[nodiscard]] Vector& target() { return target_; }  // y

  bool linearise(const Vector& d) override;
  double evaluate(const Vector& d, Vector& gradient) override;
  void hessian(const Vector& d, double projection, std::vector<double>& values) override;
  // The Hessian without the energies whose mean is taken over the strain, and without some of the dissipations,
  // those of the strain.
  void hessian_beside_strain(const Vector& d, std::span<const char> without,
                             std::vector<double>& values);
  double defect(const Vector& d, const Vector& gradient) override;
  [[nodiscard]] double norm(const Vector& gradient) const override;
  [[nodiscard]] double dot(const Vector& a, const Vector& b) const override;
  [[nodiscard]] Rounding rounding(const Vector& d, const Vector& diagonal) const override;
  [[nodiscard]] bool rounding_is_harmless(const Vector& d, const Vector& gradient) const override;
  [[nodiscard]] const Vector* positions() const override { return step_.x0; }
  [[nodiscard]] const Vector* masses() const override { return &mass_; }

  // h² Σ βᵢ ∇E(x₀ + θᵢ d) of the last evaluation.
  [[nodiscard]] const Vector& weighted_gradients() const { return gradients_; }
  // Σ βᵢ Fᵢ of the last linearisation.
  [[nodiscard]] const Vector& weighted_forces() const { return forces_; }
  // The force of dissipation, −∂R/∂v, of the last evaluation, and its weight in the stage.
  [[nodiscard]] const Vector& dissipation() const { return dissipated_; }
  [[nodiscard]] double dissipation_weight() const { return step_.dissipation_weight; }
  // Power that dissipation delivers to moving obstacles, at a displacement or at a velocity.
  [[nodiscard]] double driven_power(const Vector& d);
  [[nodiscard]] double driven_power_at(const Vector& v);
  // sum −= ∂R/∂v at a given velocity.
  void add_dissipation(const Vector& v, Vector& sum);
  // sum += what some of the dissipations, those chosen, add to the gradient of Φ at d.
  void add_dissipation_of(std::span<const char> chosen, const Vector& d, Vector& sum);
  // h² D, what the last linearisation adds to the diagonal of the Hessian; only with forces.
  [[nodiscard]] auto damping() const { return (step_.h * step_.h) * damping_; }
  // Velocity error relative to the energy scale, at the last call of defect().
  [[nodiscard]] double relative_velocity_error() const { return velocity_error_; }

  // force += F at a given point.
  void add_forces_at(double t, const Vector& x, const Vector& v, Vector& force) {
    add_forces(system_, span_, t, x, v, 1, scratch_, force);
  }
  // sum += Σ wᵢ Fᵢ over the given nodes (θᵢ, wᵢ) at d, with the velocities of this step.
  void add_path_forces(const Vector& d, std::span<const Node> nodes, Vector& sum);

 private:
  void hessian(const Vector& d, double projection, EnergyPart part, std::span<const char> without,
               std::vector<double>& values);
  // The velocity that a kind of dissipation sees at d, in point_v_; the factor of d/h in it.
  double dissipation_velocity(DissipationVelocity which, const Vector& d);
  template <class Function>
  void each_dissipation(const Vector& d, Function function);
  void path_point(const Vector& d, double theta);

  Assembler& assembler_;
  const System& system_;
  const Vector& mass_;
  double energy_tolerance_;
  double velocity_tolerance_;
  double slack_ = 1;
  Step step_{};
  double velocity_error_ = 0;
  std::vector<WeightedNode> nodes_;
  Vector target_;
  Vector gradients_;
  // External forces: where linearised, their sum and damping there, and workspace.
  bool forced_ = false;
  TimeSpan span_;
  DissipationAssembler dissipation_;
  Vector dissipated_;
  Vector linearised_, forces_, damping_, point_x_, point_v_, scratch_;
  // For bounds on rounding errors: what forces at x₀ are computed from, found when first needed in a step, and
  // the size of the terms of the last Φ.
  [[nodiscard]] const Vector& lengths() const;
  mutable Vector lengths_;
  mutable bool has_lengths_ = false;
  double terms_ = 0;
};

}  // namespace lilyan
