// Keeps the angular momentum of every body in a step that averages forces (method/avf_momentum.cpp).
//
// The mean force of AVF has a small torque about the middle of the step. Each body gets a force f that
// takes this torque away and does no work, so that the step's equation becomes
//   r(d) = f(d),   r(d) = M (d − h v₀) + ½h² ∇̄E(d) − …   the gradient of AVF's objective.           (1)
// With r_i the mid-step positions about the mid-step centre of mass, J the inertia there, and w the part
// of d that is M-orthogonal to rigid motions,
//   f = M (ω×r) − c M w,   J ω = T = ½h² Σ r×∇̄E,   c = (M (ω×r))·d / ‖w‖²_M.                       (2)
// Then Σ f = 0, f·d = 0 and Σ r×f = T: linear momentum, energy and angular momentum are kept, and the
// step stays symmetric. T vanishes with w.
//
// (1) is solved from AVF's minimiser on, with the matrix that found it: d ← d − H⁻¹ (r − f), mixed over
// the last few iterates (Anderson 1965). Where that does not converge, AVF's own step is taken and its
// end velocity changed instead: v₁ = v_c + ω×r + w is replaced by v_c + ω'×r + s w, with ω' from the
// angular momentum that is due and s from the energy that is due,
//   ½ s² ‖w‖²_M = ½ ‖w‖²_M + ½ ω·Jω − ½ ω'·Jω' − (energy that the solver left over).                (3)
// Where (3) has no real root, as much of the momentum is given as has one, and the next step is to make
// up for the rest. After a step that was solved, (3) takes out the rounding errors of the solution, which
// would otherwise add up.
//
// All of this is done for each body by itself, and for the rigid motions that it is free to make
// (torque_groups.hpp). Contact between bodies, and friction, are corrected in the same way, over all bodies
// that they connect.
//
// Constraints g(x) = 0 change nothing in (2): r is then the step's equation with its constraint forces,
//   r(d, λ) = M (d − h v₀) + ½h² ∇̄E(d) − Ḡᵀλ − …,   g(x₀+d) = 0,
// which do no work, and give nothing to the momenta of the rigid motions that they allow. (Where Ḡ is not
// exact for their torque, that of Ḡᵀλ is part of T.) (3) changes v₁ by such a motion and by a multiple of w,
// which is v₁ without its rigid motion: where G v₁ = 0, it stays so.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/archive.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/integrate/step/step_objective.hpp"
#include "lilyan/integrate/step/torque_groups.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

// The step's equation r = 0 as (1) sees it: its unknowns z begin with d, and may go on with multipliers.
class TorqueEquation {
 public:
  virtual ~TorqueEquation() = default;

  // r at z. False where it is not defined.
  virtual bool evaluate(const Vector& z, Vector& residual) = 0;
  // Of what is left of the equation.
  [[nodiscard]] virtual double norm(const Vector& left) = 0;
  // Error left at z, the point last evaluated, divided by what is allowed.
  virtual double defect(const Vector& z, const Vector& left) = 0;
  // The same as a velocity relative to the energy scale, at the last call of defect().
  [[nodiscard]] virtual double velocity_error() const = 0;
  // direction = −H⁻¹ left, with the matrix at hand; false when there is none.
  virtual bool solve(const Vector& z, const Vector& left, const Newton::Correction& request,
                     Vector& direction, SolverWork& work) = 0;
  // sum −= Ḡᵀλ at z, the point last evaluated.
  virtual void add_constraints(const Vector& z, Vector& sum) {
    static_cast<void>(z), static_cast<void>(sum);
  }
  // The part of r that is the gradient of AVF's objective.
  [[nodiscard]] virtual StepObjective& objective() = 0;
};

// That of a step without constraints.
class FreeTorqueEquation final : public TorqueEquation {
 public:
  FreeTorqueEquation(StepObjective& objective, Newton& newton)
      : objective_(objective), newton_(newton) {}
  bool evaluate(const Vector& d, Vector& residual) override;
  [[nodiscard]] double norm(const Vector& left) override { return objective_.norm(left); }
  double defect(const Vector& d, const Vector& left) override { return objective_.defect(d, left); }
  [[nodiscard]] double velocity_error() const override {
    return objective_.relative_velocity_error();
  }
  bool solve(const Vector& d, const Vector& left, const Newton::Correction& request,
             Vector& direction, SolverWork& work) override {
    return newton_.correct(objective_, d, left, request, direction, work);
  }
  [[nodiscard]] StepObjective& objective() override { return objective_; }

 private:
  StepObjective& objective_;
  Newton& newton_;
};

class TorqueCorrection {
 public:
  // The assembler must outlive this. Besides d, the equations of its steps have so many unknowns.
  explicit TorqueCorrection(const Assembler& assembler, int multipliers = 0);

  // Single points have nothing to correct.
  [[nodiscard]] bool needed() const { return !bodies_.groups.empty() || !clusters_.groups.empty(); }

  struct Step {
    const State& start;
    double h;
    const std::vector<Node>& nodes;  // of AVF's stage, all of them
    const Vector& start_gradient;    // ∇E(x₀), read where one of them is at θ = 0
  };
  // How many times its tolerances AVF's minimiser may be off: the iteration for (1) takes it from there.
  static double slack(const SolverOptions& options);
  // Takes AVF's solution z to that of (1), where it can be found; false otherwise, with z as it was.
  // `residual` is r(z) before and after. The equation's last evaluation is at z.
  bool correct(const Step& step, TorqueEquation& equation, Vector& z, Vector& residual,
               StepReport& report);
  // After that: AVF's own step by z, solved to its tolerances, is taken, and all of the torque is left to
  // the projection.
  void give_up(const Step& step, TorqueEquation& equation, const Vector& z, const Vector& residual,
               StepReport& report);
  // Does the rest: (3) for the end velocity v₁ of the step just corrected. Each constraint may have left
  // some energy over as well. Returns the change of the kinetic energy.
  double project(const Vector& x1, Vector& v1, StepReport& report,
                 std::span<const double> left_by_constraint = {});
  [[nodiscard]] double projected() const { return projected_; }
  // The step was made, and led to x₁.
  void commit(const Vector& x1);

  // What steps that no projection could help have left to the next one.
  void archive(Archive& a);
  void take_over(const TorqueCorrection& from);

 private:
  using Group = TorqueGroups::Group;
  using Frame = TorqueGroups::Frame;
  // A partition of the vertices, and the internal forces within its groups.
  struct Level {
    TorqueGroups groups;
    std::vector<char> dissipations;  // which of them are such forces
    bool dissipates = false;         // any of them
    Vector gradient;  // ½h² ∇̄E of these forces, at the last displacement looked at
    Vector force;     // f
  };

  // The internal forces of both levels for the step by z that the equation has just evaluated.
  void find_gradients(const Step& step, TorqueEquation& equation, const Vector& z);
  // T of a group, and f of all of them.
  [[nodiscard]] Vec3 torque(const Level& level, std::size_t group, const Vector& d,
                            const Frame& frame) const;
  void find_force(const Vector& d, Level& level) const;
  // left_ = r(z) − f(z), whose norm it returns.
  double find_left(const Step& step, TorqueEquation& equation, const Vector& z,
                   const Vector& residual);
  enum class Outcome { solved, nearly, failed };  // nearly: the projection may take the rest
  Outcome solve(const Step& step, TorqueEquation& equation, Vector& z, Vector& residual,
                StepReport& report);
  // The next iterate from the last ones and their directions, of which there are so many.
  void mix(int known, Vector& z);
  // What a group has got too much of.
  struct Due {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();
    double energy = 0;
  };
  struct Projection {
    double share = 1;  // of the angular momentum that is due
    double whole = 0;  // all that is due, as a velocity, relative to the velocities
    double size = 0;   // the change of velocities, relative to them
  };
  Projection project_group(const Level& level, const Group& group, const Due& due, const Vector& x1,
                           Vector& v1) const;
  [[nodiscard]] double kinetic_energy(const Vector& v) const;

  const Assembler& assembler_;
  const System& system_;
  std::vector<const Energy*> external_, contacts_;
  Level bodies_, clusters_;
  std::vector<WeightedNode> nodes_;

  // The step at hand: its start, displacement and residual, and whether (1) was solved.
  const Vector* x0_ = nullptr;
  double h_ = 0;
  Vector d_, residual_;
  bool solved_ = false;
  double projected_ = 0;

  // Anderson's mixing: the last differences of iterates and of directions.
  static constexpr int kDepth = 8;
  std::array<Vector, kDepth> iterates_, directions_;
  Vector left_, minimiser_, best_, direction_, last_z_, last_direction_, scratch_;

  // Angular momentum that each body is to get yet; what the step at hand adds; and the positions at
  // which it was left (none: wherever the next step begins).
  std::vector<Vec3> carried_, next_carried_;
  bool carries_ = false;
  bool will_carry_ = false;
  Vector carried_to_;
};

}  // namespace lilyan
