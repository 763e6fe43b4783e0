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
// A body is what internal energies connect. Of a body with one fixed vertex the angular momentum about
// that vertex is kept, of one with all its fixed vertices on a line the part along it; other fixed
// bodies are left alone. Contact between bodies, and friction, are corrected in the same way, over all
// bodies that they connect.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/archive.hpp"
#include "lilyan/core/step_report.hpp"
#include "lilyan/integrate/step/step_objective.hpp"
#include "lilyan/solve/newton.hpp"

namespace lilyan {

class TorqueCorrection {
  using Mat3 = Eigen::Matrix3d;

 public:
  // The assembler must outlive this.
  explicit TorqueCorrection(const Assembler& assembler);

  struct Step {
    const State& start;
    double h;
    const std::vector<Node>& nodes;  // of AVF's stage, all of them
    const Vector& start_gradient;    // ∇E(x₀), read where one of them is at θ = 0
  };
  // How many times its tolerances AVF's minimiser may be off: the iteration for (1) takes it from there.
  static double slack(const SolverOptions& options);
  // Takes AVF's minimiser d to the solution of (1), where it can be found; false otherwise, with d as
  // it was. `residual` is r(d) before and after. The objective's last evaluation is at d.
  bool correct(const Step& step, StepObjective& objective, Newton& newton, Vector& d,
               Vector& residual, StepReport& report);
  // After that: AVF's own step by d, solved to its tolerances, is taken, and all of the torque is left to
  // the projection.
  void give_up(const Step& step, StepObjective& objective, const Vector& d, const Vector& residual,
               StepReport& report);
  // Does the rest: (3) for the end velocity v₁ of the step just corrected. Returns the change of the
  // kinetic energy.
  double project(const Vector& x1, Vector& v1, StepReport& report);
  [[nodiscard]] double projected() const { return projected_; }
  // The step was made, and led to x₁.
  void commit(const Vector& x1);

  // What steps that no projection could help have left to the next one.
  void archive(Archive& a);
  void take_over(const TorqueCorrection& from);

 private:
  // Rigid motions that a group of vertices is free to make.
  enum class Freedom { none, about_axis, about_point, all };
  struct Group {
    int first, last;              // its free vertices, in Level::members
    int first_fixed, last_fixed;  // its fixed ones, in Level::fixed
    Freedom freedom = Freedom::all;
    Vec3 axis = Vec3::Zero();
  };
  // A partition of the vertices, and the internal forces within its groups.
  struct Level {
    std::vector<Group> groups;
    std::vector<int> members, fixed;
    std::vector<char> dissipations;  // which of them are such forces
    bool dissipates = false;         // any of them
    Vector gradient;  // ½h² ∇̄E of these forces, at the last displacement looked at
    Vector force;     // f
  };
  // Moments of a group with positions q and velocities (or displacements) u.
  struct Frame {
    Vec3 centre = Vec3::Zero();  // centre of mass, or the fixed point
    Vec3 mean = Vec3::Zero();    // velocity of the centre of mass; zero where a point is fixed
    Vec3 spin = Vec3::Zero();    // ω of the rigid motion nearest to u
    Mat3 inertia = Mat3::Zero();
    Mat3 inverse = Mat3::Zero();  // pseudo-inverse over the rotations that the group can make
    double mass = 0;
    double square = 0;  // Σ m u²
    double rest = 0;    // Σ m w², w = u − mean − ω×r
  };
  template <class Position, class Velocity>
  [[nodiscard]] Frame frame(const Level& level, const Group& group, const Position& q,
                            const Velocity& u) const;

  void make_level(std::vector<int>& parent, Level& level) const;
  void find_freedom(const Vector& x, Level& level) const;
  // The internal forces of both levels for the step by d that the objective has just evaluated.
  void find_gradients(const Step& step, StepObjective& objective, const Vector& d);
  // T of a group, and f of all of them.
  [[nodiscard]] Vec3 torque(const Level& level, std::size_t group, const Vector& d,
                            const Frame& frame) const;
  void find_force(const Vector& d, Level& level) const;
  // left_ = r(d) − f(d), whose norm it returns.
  double find_left(const Step& step, StepObjective& objective, const Vector& d,
                   const Vector& residual);
  enum class Outcome { solved, nearly, failed };  // nearly: the projection may take the rest
  Outcome solve(const Step& step, StepObjective& objective, Newton& newton, Vector& d,
                Vector& residual, StepReport& report);
  // The next iterate from the last ones and their directions, of which there are so many.
  void mix(int known, Vector& d);
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
  Vector left_, minimiser_, best_, direction_, last_d_, last_direction_, scratch_;

  // Angular momentum that each body is to get yet; what the step at hand adds; and the positions at
  // which it was left.
  std::vector<Vec3> carried_, next_carried_;
  bool carries_ = false;
  bool will_carry_ = false;
  Vector carried_to_;
};

}  // namespace lilyan
