// Solves the equation of a step that keeps energy and both momenta (method/energy_momentum.cpp),
//   r(d) = M (d − h v₀) + ½h² ḡ(d) − … = f(d),                                                      (1)
// ḡ a mean of ∇E over the step with ḡ·d = E₁ − E₀, which keeps the energy. For angular momentum nothing may have
// a torque about the middle of the step. There are two ways to that, and each body goes the one that suits it.
//
// Stiff bodies, which sound crosses within about a step, take the mean of their stress over the strain:
// ḡ = B½ᵀ S̄ with B½ the strain's derivative in the middle of the step (assemble/tet_discrete_kernel.hpp) has no
// torque at all. No smooth mean of this kind is the gradient of anything (that would be AVF's), so that (1) is a
// root find; but it is not the missing symmetry that makes it hard. With B½ held fixed, and S̄ linear in the
// strain, (1) is linear in d with the symmetric matrix
//   H = M + ½h² [s B½ᵀ D̄ B½ + ½ K(σ)],   D̄ the derivative of S̄ by the strain at the end,             (2)
// and what is hard is the geometric part K: at an iterate the stress is noise until the strain is known to
// ρℓ²/(Eh²), which for a stiff body is next to nothing. So K is taken about the balanced stress σ, the one that
// the last direction predicts, and left out where even that is not definite, or where r would move the body by
// more than a small part of its lengths: where a stiff body vibrates, that is, until the strain is found. Each
// iteration is
//   y = −H⁻¹ r(d),   δ = q y + Z₁ a,   Z½ᵀ (r + J (q y + Z₁ a)) + ½ (q y + Z₁ a) × n = 0,              (3)
//   σ ← S̄(d) + s D̄ B½ y,   d ← d + δ, mixed with the iterates before (Anderson).
// Z are the rigid motions of bodies in the middle and at the end of the step. Of the elastic forces they see
// nothing, whatever these are: B½ Z½ = 0 for every d. So J is the rest of the Jacobian, M and more, and n the rest
// of r, M (d − h v₀) and more, whose arm about the middle moves by ½δ. No stress enters that, which takes out what
// force and torque H has left (as an iterative solution of (2) does, too). The angular momentum
// Σ (x₀ + ½d) × M (d − h v₀) is even linear in d; but where a body vibrates so violently that h v₀ carries its
// vertices further than the body is long, a turn may not change it, and such a step has to be halved.
//
// Where a body moves nearly rigidly, its strain at the end is B₁, not B½: the rotation q from the middle to the end
// takes the one to the other, and s = 1/cos of its angle makes up for the shorter B½. The start is the rigid motion
// that v₀ begins, with or without the deformation that v₀ goes on with: the one with the smaller r.
//
// Soft bodies may move as violently as they like, where (3) often has no solution that it finds. They take the
// mean over the path, as AVF does, whose minimiser cannot get lost. Its torque about the middle of the step is of
// third order and goes with a force f that does no work. With r_i the mid-step positions about the mid-step
// centre of mass, Θ the inertia there, and w the part of d that is M-orthogonal to rigid motions,
//   f = M (ω×r) − c M w,   Θ ω = T = ½h² Σ r×ḡ,   c = (M (ω×r))·d / ‖w‖²_M,                            (4)
// so that Σ f = 0, f·d = 0 and Σ r×f = T. AVF's minimiser is the start, and its matrix is good enough. (Stiff
// bodies cannot go this way: the straight path compresses a body that turns by α, which costs Eα⁴V, more than all
// its kinetic energy.) Contact between bodies and friction take their mean over the path as well, with a force
// (4) for each group of vertices that they connect; and so does what constraints and energies of a user's own
// leave.
//
// Both are symmetric in time, and so is the choice, which depends on the body and on h only. Where a body's own
// way has no solution that is found, the other one is tried before the step is halved.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/base/function_ref.hpp"
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/saving/archive.hpp"
#include "lilyan/solve/anderson.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/step/stage_equation.hpp"
#include "lilyan/step/torque_groups.hpp"

namespace lilyan {

// The step's equation r = 0 with unknowns z, which begin with d and may go on with multipliers.
class MomentumEquation {
 public:
  virtual ~MomentumEquation() = default;

  // r at at.z. False where it is not defined.
  virtual bool evaluate(Iterate& at) = 0;
  // Of what is left of the equation.
  [[nodiscard]] virtual double norm(const Vector& left) = 0;
  // How small the next should become where rounding lets it.
  [[nodiscard]] virtual double target() const { return 1; }
  // The error left at a point, where `residual` is what is left.
  [[nodiscard]] virtual Defect defect(const Iterate& at) = 0;
  // Whether what is left there may be nothing but the rounding error of forces, by the stiffness in the matrix at
  // hand.
  virtual bool at_rounding(const Iterate& at) = 0;
  // Whether conditions on z are met to rounding there, where there are any.
  [[nodiscard]] virtual bool closed(const Iterate& at) const {
    static_cast<void>(at);
    return true;
  }
  // direction = −H⁻¹ left, with the matrix at hand; false when there is none.
  virtual bool solve(const Iterate& at, const Newton::Correction& request, Vector& direction,
                     SolverWork& work) = 0;
  // sum −= Ḡᵀλ at z, the point last evaluated.
  virtual void add_constraints(const Vector& z, Vector& sum) {
    static_cast<void>(z), static_cast<void>(sum);
  }
  // The equation of a step without constraints, its forces, and whether it takes means over the strain where
  // there are such.
  [[nodiscard]] virtual const StageEquation& stage() const = 0;
  [[nodiscard]] virtual const Linearised& forces() const = 0;
  virtual void average_strain(bool over_strain) = 0;
};

// The equation of a step without constraints.
class FreeMomentumEquation final : public MomentumEquation {
 public:
  FreeMomentumEquation(const StageEquation& stage, Linearised& forces, Newton& newton)
      : stage_(stage), forces_(forces), newton_(newton) {}
  bool evaluate(Iterate& at) override;
  [[nodiscard]] double norm(const Vector& left) override { return stage_.norm(left); }
  [[nodiscard]] Defect defect(const Iterate& at) override {
    return stage_.defect(at.z, at.residual);
  }
  bool at_rounding(const Iterate& at) override {
    return newton_.at_rounding({stage_, forces_, at.z}, stage_.norm(at.residual));
  }
  bool solve(const Iterate& at, const Newton::Correction& request, Vector& direction,
             SolverWork& work) override {
    return newton_.correct({stage_, forces_, at.z}, at.residual, request, direction, work);
  }
  [[nodiscard]] const StageEquation& stage() const override { return stage_; }
  [[nodiscard]] const Linearised& forces() const override { return forces_; }
  void average_strain(bool over_strain) override { stage_ = stage_.averaging_strain(over_strain); }

 private:
  StageEquation stage_;
  Linearised& forces_;
  Newton& newton_;
};

class MomentumSolve {
 public:
  // The assembler must outlive this. Besides d, the equations of its steps have so many unknowns.
  MomentumSolve(Assembler& assembler, const SolverOptions& options, int multipliers = 0);

  struct Step {
    const State& start;
    double h;
    const std::vector<Node>& nodes;  // of the mean over the path, all of them
    const Vector& start_gradient;    // ∇E(x₀), read where one of them is at θ = 0
    double scale;                    // of energies, at the start of the step
  };
  // Finds at.z, which holds some start, or a good guess. On success `at` has what is left of (1). `minimise` takes
  // it to AVF's own solution, to so many times its tolerances, and reports. False when nothing leads to a solution,
  // which the report then says.
  bool find(const Step& step, MomentumEquation& equation, bool warm, Iterate& at,
            StepReport& report, FunctionRef<bool(double)> minimise);
  // Whether all energies took their mean over the strain in the last step.
  [[nodiscard]] bool only_strain() const { return energies_.only_strain; }
  // The work that the means of the step by d, the last one found, do on prescribed vertices. The nodes are those of
  // the mean over the path, with weights that add up to one.
  [[nodiscard]] double prescribed_work(const Vector& d, std::span<const Node> rule);
  // The speed of sound in each body over its length, which the first step finds.
  void archive(Archive& a);

 private:
  using Group = TorqueGroups::Group;
  using Frame = TorqueGroups::Frame;
  // A partition of the vertices, and the internal forces within its groups.
  struct Level {
    TorqueGroups groups;
    std::vector<char> dissipations;  // which of them are such forces
    bool dissipates = false;         // any of them
    std::vector<char> has_torque;    // the groups for which these forces may have one
    bool any_torque = false;
    Vector gradient;  // ½h² ḡ of these forces, at the last displacement looked at
    Vector force;     // f
  };

  // The way that bodies take their means: each its own, or all of them the same.
  enum class Means { own, strain, path };
  void find_groups();
  void find_bodies(std::vector<int>& parent);
  void find_clusters(std::vector<int>& parent);
  // False when these are the means of each of them anyway.
  bool begin(const Step& step, Means means);
  void find_rates(const State& start);
  void share_rates();
  // How many times its tolerances AVF's minimiser may be off, as a start.
  [[nodiscard]] double slack() const;
  // The rigid start, of two the one with the smaller residual; false where none is defined.
  bool predict(const Step& step, MomentumEquation& equation, Iterate& iterate);
  enum class From {
    rigid,      // with the matrix (2), at a start near the rigid motion
    minimiser,  // with AVF's matrix, at its minimiser
  };
  // The two iterations (momentum_iteration.cpp).
  class SoftIteration;
  class StiffIteration;
  StepStatus solve(const Step& step, From from, MomentumEquation& equation, Iterate& at,
                   StepReport& report);
  void find_gradients(const Step& step, MomentumEquation& equation, const Iterate& at);
  void find_force(const Vector& d, Level& level) const;
  // The residual becomes what is left of it, less f. Returns its norm.
  double find_left(const Step& step, MomentumEquation& equation, Iterate& at);
  // The rotations q and the stiffening s of bodies in a step by d.
  void find_turns(const Vector& d);
  // direction, which is y, becomes δ of (3).
  void correct_rigidly(const MomentumEquation& equation, const Vector& d, const Iterate& here,
                       Vector& direction);
  void find_turning_forces(const MomentumEquation& equation, const Vector& d, const Iterate& at);
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  void find_frames(const Vector& d);
  [[nodiscard]] Vec6 total_of(std::size_t body, const Vector& d, const Vector& forces,
                              const Vector* moved) const;
  void add_motion(std::size_t body, const Vector& d, const Vec6& rates, Vector& motion) const;
  void apply_inertia(const Vector& w, Vector& image) const;
  // The size of the lengths that forces are computed from.
  [[nodiscard]] double lengths();
  [[nodiscard]] double rounding_of(const Vector& z);

  // Of the system.
  struct Energies {
    std::vector<std::size_t> external, contacts;  // contacts: with their mean over the path
    std::vector<std::vector<int>> bodies_of;      // of each that is internal to them
    std::vector<char> over_strain;   // which take their mean over the strain in this step
    std::vector<double> stiffening;  // s of (2)
    bool any_strain = false;
    bool only_strain = false;
    bool beside = false;  // J has a matrix beside the elastic one
  };
  struct Sound {
    std::vector<double> rates;  // its speed in each body over its length
    std::vector<char> stiff;    // bodies that take their mean over the strain
    double crossings = 0;       // how many times it crosses one of these in a step
  };
  // What the rigid correction knows of each body.
  struct Rigid {
    std::vector<Eigen::Matrix3d> turns;  // q
    std::vector<double> stiffening;
    std::vector<Frame> middles, ends;
    std::vector<Eigen::Matrix3d> turning;
    std::vector<Vec6> missing;
    std::vector<Mat6> matrix;
    Vector forces;  // n
  };
  struct Here {
    const Vector* x0 = nullptr;
    double h = 0;
    double lengths = 0;  // size of the lengths at x₀, found when first needed in a step
    bool has_lengths = false;
  };
  struct Workspace {
    std::vector<WeightedNode> nodes;
    std::vector<double> beside;  // the matrix beside the elastic one
    Vector guess, d, best, best_direction, direction, raw, motion, image, scratch;
    Iterate start, other;
  };

  Assembler& assembler_;
  const System& system_;
  SolverOptions options_;
  Energies energies_;
  Level bodies_, clusters_;
  std::uint64_t stencils_version_ = 0;  // that they are of
  // All dissipation is of the strain, with numbers that each iteration may renew: there is no torque then.
  bool renews_ = false;
  Sound sound_;
  Rigid rigid_;
  Here here_;
  AndersonMixing mixing_;
  Workspace work_;
};

}  // namespace lilyan
