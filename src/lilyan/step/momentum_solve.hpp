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
// the last direction predicts, and each iteration is
//   y = −H⁻¹ r(d),   δ = q y + Z₁ a,   (Z½ᵀ J Z₁) a = −Z½ᵀ (r + J q y),   J = M + ½h² ½ K(σ) + …        (3)
//   σ ← S̄(d) + s D̄ B½ y,   d ← d + δ, mixed with the iterates before (Anderson).
// Z are the rigid motions of bodies in the middle and at the end of the step. Of the elastic part of the
// Jacobian they see nothing, B½ Z½ = B₁ Z₁ = 0, so that products with K are enough to take out what force and
// torque H has left (which an iterative solution of (2) leaves, too). Where a body moves nearly rigidly, its
// strain at the end is B₁, not B½: the rotation q from the middle to the end takes the one to the other, and
// s = 1/cos of its angle makes up for the shorter B½. The start is the rigid motion that v₀ begins, with or
// without the deformation that v₀ goes on with: the one with the smaller r.
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
#include "lilyan/conservation/step_report.hpp"
#include "lilyan/saving/archive.hpp"
#include "lilyan/solve/anderson.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/step/step_objective.hpp"
#include "lilyan/step/torque_groups.hpp"

namespace lilyan {

// The step's equation r = 0 with unknowns z, which begin with d and may go on with multipliers.
class MomentumEquation {
 public:
  virtual ~MomentumEquation() = default;

  // r at z. False where it is not defined.
  virtual bool evaluate(const Vector& z, Vector& residual) = 0;
  // Of what is left of the equation.
  [[nodiscard]] virtual double norm(const Vector& left) = 0;
  // How small the next should become where rounding lets it.
  [[nodiscard]] virtual double target() const { return 1; }
  // Error left at z, the point last evaluated, divided by what is allowed.
  virtual double defect(const Vector& z, const Vector& left) = 0;
  // The error left as a velocity relative to the energy scale, at the last call of defect().
  [[nodiscard]] virtual double velocity_error() const = 0;
  // Whether conditions on z are met to rounding, where there are any, at the last call of defect().
  [[nodiscard]] virtual bool closed() const { return true; }
  // direction = −H⁻¹ left, with the matrix at hand; false when there is none.
  virtual bool solve(const Vector& z, const Vector& left, const Newton::Correction& request,
                     Vector& direction, SolverWork& work) = 0;
  // sum −= Ḡᵀλ at z, the point last evaluated.
  virtual void add_constraints(const Vector& z, Vector& sum) {
    static_cast<void>(z), static_cast<void>(sum);
  }
  [[nodiscard]] virtual StepObjective& objective() = 0;
};

// The equation of a step without constraints.
class FreeMomentumEquation final : public MomentumEquation {
 public:
  FreeMomentumEquation(StepObjective& objective, Newton& newton)
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
  // Finds z, which holds some start, or a good guess. On success `residual` is what is left of (1), and the
  // equation's last evaluation is at z. `minimise` takes z to AVF's own solution, and reports. False when
  // nothing leads to a solution, which the report then says.
  template <class Minimise>
  bool find(const Step& step, MomentumEquation& equation, bool warm, Vector& z, Vector& residual,
            StepReport& report, const Minimise& minimise);
  // Whether all energies took their mean over the strain in the last step.
  [[nodiscard]] bool only_strain() const { return only_strain_; }
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
  // False when these are the means of each of them anyway.
  bool begin(const Step& step, Means means);
  void find_rates(const State& start);
  // How many times its tolerances AVF's minimiser may be off, as a start.
  [[nodiscard]] double slack() const;
  // The rigid start, of two the one with the smaller residual; false where none is defined.
  bool predict(const Step& step, MomentumEquation& equation, Vector& z);
  enum class From {
    rigid,      // with the matrix (2), at a start near the rigid motion
    minimiser,  // with AVF's matrix, at its minimiser
  };
  StepStatus solve_soft(const Step& step, MomentumEquation& equation, Vector& z, Vector& residual,
                        StepReport& report);
  StepStatus solve(const Step& step, From from, MomentumEquation& equation, Vector& z,
                   Vector& residual, StepReport& report);
  void find_gradients(const Step& step, MomentumEquation& equation, const Vector& z);
  void find_force(const Vector& d, Level& level) const;
  // left = residual − f at z. Returns its norm.
  double find_left(const Step& step, MomentumEquation& equation, const Vector& z, Vector& residual);
  // The rotations q and the stiffening s of bodies in a step by d.
  void find_turns(const Vector& d);
  // direction, which is y, becomes δ of (3).
  void correct_rigidly(const Step& step, MomentumEquation& equation, const Vector& d,
                       const Vector& left, Vector& direction);
  void apply_inertia(const Vector& w, Vector& image) const;
  [[nodiscard]] double rounding_of(const Vector& z);

  Assembler& assembler_;
  const System& system_;
  SolverOptions options_;
  std::vector<std::size_t> external_,
      contacts_;  // energies; contacts: with their mean over the path
  Level bodies_, clusters_;
  std::vector<double> rates_;  // of bodies: speed of sound over length
  Means means_ = Means::own;
  std::vector<char> over_strain_;  // which energies
  bool any_strain_ = false;
  bool only_strain_ = false;
  bool beside_ = false;  // J has a matrix beside the elastic one
  // All dissipation is of the strain, with numbers that each iteration may renew: there is no torque then.
  bool renews_ = false;
  std::vector<WeightedNode> nodes_;
  std::vector<std::vector<int>> bodies_of_;  // of each energy that is internal to them
  std::vector<Eigen::Matrix3d> turns_;
  std::vector<char> stiff_;  // bodies that take their mean over the strain
  double crossings_ = 0;     // how many times sound crosses one of these in a step
  // What the rigid correction knows of each body.
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  struct Rigid {
    std::vector<Frame> middles, ends;
    std::vector<Eigen::Matrix3d> turning;
    std::vector<Vec6> missing;
    std::vector<Mat6> matrix;
  } rigid_;
  std::vector<double> body_stiffening_, stiffening_;
  std::vector<double> beside_hessian_;

  const Vector* x0_ = nullptr;
  double h_ = 0;
  double lengths_ = 0;  // size of the lengths at x₀, found when first needed in a step
  bool has_lengths_ = false;
  Vector guess_;
  AndersonMixing mixing_;
  Vector d_, best_, best_direction_, direction_, raw_, motion_, image_, scratch_, start_, other_;
};

template <class Minimise>
bool MomentumSolve::find(const Step& step, MomentumEquation& equation, bool warm, Vector& z,
                         Vector& residual, StepReport& report, const Minimise& minimise) {
  StepObjective& objective = equation.objective();
  const StepStatus earlier = report.status;
  const double earlier_residual = report.residual;
  const auto solved = [&](From from) {
    objective.average_strain(true);
    const StepStatus status = solve(step, from, equation, z, residual, report);
    report.status = succeeded(status) && earlier == StepStatus::round_off ? earlier : status;
    return succeeded(status);
  };
  guess_ = z;
  // Whether there is no use in another try.
  const auto over = [&] {
    return report.status == StepStatus::stopped ||
           report.solver_work.iterations >= options_.newton.max_iterations;
  };
  StepStatus failed = StepStatus::converged;
  for (const Means means : {Means::own, Means::strain, Means::path}) {
    if (!begin(step, means)) continue;
    if (any_strain_) {
      objective.average_strain(true);
      z = guess_;
      if (warm && solved(From::rigid)) return true;
      z = guess_;
      if (predict(step, equation, z) && solved(From::rigid)) return true;
    }
    if (!over()) {
      z = guess_;
      objective.average_strain(false);
      objective.set_slack(slack());
      const bool found = minimise();
      objective.set_slack(1);
      report.residual = earlier_residual;
      if (found && solved(From::minimiser)) return true;
    }
    if (failed == StepStatus::converged) failed = report.status;
    if (over()) break;
  }
  report.status = failed;
  return false;
}

}  // namespace lilyan
