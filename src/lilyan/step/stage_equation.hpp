// The equation of one stage of a step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system_parts.hpp"
#include "lilyan/solve/objective.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

// Whether a displacement that rounding errors alone have caused is small beside the displacement by the
// forces of a step from x₀, or beside the body itself, which may be at rest. All are lengths √(δxᵀM δx).
[[nodiscard]] bool small_beside(const System& system, const Vector& x0, double left, double change);

// What the equations of an integrator's steps work with, one at a time.
struct StageWorkspace {
  // The assembler must outlive this.
  StageWorkspace(Assembler& sums, const SolverOptions& options);

  // The stencils and the lagged numbers of dissipation for a step by h, and the renewal of these after a solve.
  // `forces_see` is the step in which forces see it.
  void begin_step(const State& start, double h, const TimeSpan& forces_see);
  DissipationAssembler::Renewal renew(const State& start, const Vector& d, double h) {
    return dissipation.renew(start, d, h);
  }
  [[nodiscard]] bool forced() const { return !system.forces().empty() || !dissipation.empty(); }
  // sum += weight F at a given point.
  void add_forces(double t, const Vector& x, const Vector& v, double weight, Vector& sum);
  // sum −= ∂R/∂v at a given velocity.
  void add_dissipation(const Vector& v, Vector& sum);
  // Power that dissipation delivers to moving obstacles at a velocity.
  [[nodiscard]] double driven_power(const Vector& v);

  Assembler& assembler;
  const System& system;
  double energy_tolerance;
  double velocity_tolerance;
  TimeSpan span;
  DissipationAssembler dissipation;
  std::vector<WeightedNode> nodes;  // of the equation at hand
  Vector point_x, point_v, scratch;
  // What forces at x₀ are computed from, found when first needed by an equation.
  Vector lengths;
  bool has_lengths = false;
};

// What an equation is made of. All that it points to stays while it is used.
struct StageTerms {
  const Vector* x0 = nullptr;
  const Vector* target = nullptr;  // y
  double t0 = 0;
  double h = 0;
  double time = 1;                    // the stage's point is at t0 + time·h
  std::span<const Node> nodes;        // (θᵢ, βᵢ), θᵢ ≠ 0
  std::span<const Node> force_nodes;  // all (θᵢ, βᵢ), for external forces
  // A residual r becomes the velocity error velocity_weight/h · M⁻¹r at the end of the step.
  double velocity_weight = 1;
  double energy_scale = 0;  // at the start of the step
  // The velocity that external forces see: path_weight d/h + path_velocity where not null; at
  // θ = 0 it is *start_velocity where not null.
  double path_weight = 1;
  const Vector* path_velocity = nullptr;
  const Vector* start_velocity = nullptr;
  // For dissipation: the weight of the nodes that see the path's velocity; and the velocity at the
  // end of the stage, end_weight d/h + end_velocity where not null.
  double dissipation_weight = 0;
  double end_weight = 1;
  const Vector* end_velocity = nullptr;
  // Where the nodes are a rule for the mean over the path.
  std::optional<PathMeanWeights> mean = {};
};

// Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d), and external forces.
//
// Forces have no potential: −h² Σ βᵢ Fᵢ(d) joins the gradient linearised about the current iterate
// d_k, −h² [f − D (d − d_k)] with D ≥ 0 the diagonal of their damping, which is the gradient of a
// convex quadratic. Newton linearises anew after every step, so what it converges to is exact.
//
// Dissipation has a potential in the velocity a d/h + b: with B the weight of the nodes that see
// it, h² B (h/a) R(a d/h + b) joins Φ, whose gradient is h² B ∂R/∂v.
//
// An evaluation leaves h² Σ βᵢ ∇E(x₀ + θᵢ d) in Iterate::potential and −∂R/∂v in Iterate::dissipation;
// a linearisation Σ βᵢ Fᵢ in Linearised::force.
class StageEquation final : public Objective {
 public:
  StageEquation(StageWorkspace& work, const StageTerms& terms);

  bool linearise(const Vector& d, Linearised& forces) const override;
  void evaluate(const Linearised& forces, Iterate& at) const override;
  bool widen_pattern(const Vector& d) const override {
    return work_->assembler.meet(*terms_.x0, d);
  }
  [[nodiscard]] double largest_step(const Vector& d, const Vector& direction) const override;
  bool free_start(Vector& d) const override;
  int find_walls(const Vector& d, const Vector& direction) const override;
  void add_walls(Vector& residual) const override;
  void forget_walls() const override;
  void hessian(const Linearised& forces, const Vector& d, double projection,
               std::vector<double>& values) const override;
  [[nodiscard]] Defect defect(const Vector& d, const Vector& gradient) const override;
  [[nodiscard]] double norm(const Vector& gradient) const override;
  [[nodiscard]] double dot(const Vector& a, const Vector& b) const override;
  [[nodiscard]] Rounding rounding(const Vector& d, double terms,
                                  const Vector& diagonal) const override;
  [[nodiscard]] bool rounding_is_harmless(const Vector& d, const Vector& gradient) const override;
  [[nodiscard]] const Vector* positions() const override { return terms_.x0; }
  [[nodiscard]] const Mass* mass() const override { return &work_->system.mass(); }

  // The same equation with means over the strain, or without, where energies have such
  // (PathMeanWeights::over_strain).
  [[nodiscard]] StageEquation averaging_strain(bool over_strain) const;
  // The Hessian without the energies whose mean is taken over the strain, and without some of the dissipations,
  // those of the strain.
  void hessian_beside_strain(const Linearised& forces, const Vector& d,
                             std::span<const char> without, std::vector<double>& values) const;
  [[nodiscard]] double dissipation_weight() const { return terms_.dissipation_weight; }
  // Power that dissipation delivers to moving obstacles.
  [[nodiscard]] double driven_power(const Vector& d) const;
  // sum += what some of the dissipations, those chosen, add to the gradient of Φ at d.
  void add_dissipation_of(std::span<const char> chosen, const Vector& d, Vector& sum) const;
  // sum += Σ wᵢ Fᵢ over the given nodes (θᵢ, wᵢ) at d, with the velocities of this step.
  void add_path_forces(const Vector& d, std::span<const Node> nodes, Vector& sum) const;
  // diagonal += h² D.
  void add_damping(const Linearised& forces, Vector& diagonal) const;
  [[nodiscard]] StageWorkspace& workspace() const { return *work_; }

 private:
  void hessian(const Linearised& forces, const Vector& d, double projection, EnergyPart part,
               std::span<const char> without, std::vector<double>& values) const;
  // The velocity that a kind of dissipation sees at d, in work_->point_v; the factor of d/h in it.
  double dissipation_velocity(DissipationVelocity which, const Vector& d) const;
  template <class Function>
  void each_dissipation(const Vector& d, Function function) const;
  void path_point(const Vector& d, double theta) const;
  [[nodiscard]] const PathMeanWeights* mean() const {
    return terms_.mean ? &*terms_.mean : nullptr;
  }
  [[nodiscard]] const Vector& lengths() const;

  StageWorkspace* work_;
  StageTerms terms_;
  bool forced_;
};

}  // namespace lilyan
