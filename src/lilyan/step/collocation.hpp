// Interpreter of collocation tables: all stages of a step solved together.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/potential_cache.hpp"

namespace lilyan {

// The coupled equations of a collocation step.
//
// With Zᵢ the displacement of stage i, all of them one after the other in one vector Z,
//   Rᵢ = Σⱼ Bᵢⱼ M (Zⱼ − cⱼ h v₀) + h² [∇E(x₀ + Zᵢ) − f(t₀+cᵢh, x₀+Zᵢ, Vᵢ)] = 0,  B = (A²)⁻¹     (1)
//   Vᵢ = Σⱼ (A⁻¹)ᵢⱼ Zⱼ / h.                                                                     (2)
// An evaluation leaves ∇E of the stages in Iterate::potential and f in Iterate::force.
// Multiplied by B, stages are coupled through the masses alone, so the Jacobian is hardly denser
// than the Hessians of its stages.
class CollocationEquation final : public Equation {
 public:
  CollocationEquation(Assembler& assembler, const CollocationTable& table,
                      const SolverOptions& options);

  // Sets the step, with the stencils that there are now; energy_scale is that of its start.
  void prepare(const State& start, double h, const TimeSpan& span, double energy_scale);

  void pull_back(Vector& z, double factor) const override;
  void evaluate(Iterate& at) override;
  [[nodiscard]] bool factorise(const Vector& z, SolverWork& work, NewtonTimes& times) override;
  void solve(const Vector& residual, Vector& direction) override;
  [[nodiscard]] Defect defect(const Iterate& at) override;
  [[nodiscard]] bool at_rounding(const Iterate& at) override;
  [[nodiscard]] bool rounding_is_harmless(const Iterate& at) override;

  [[nodiscard]] int stages() const { return stages_; }
  // Σⱼ Bᵢⱼ (Zⱼ − cⱼ h v₀): h² times the acceleration of stage i once (1) holds.
  void scaled_acceleration(const Vector& z, int stage, Vector& result) const;
  // Work per time of the external forces of a stage: with the stage's own velocity, and with what another
  // velocity has beyond that.
  struct WorkRates {
    double own, other;
  };
  [[nodiscard]] WorkRates work_rates(const Iterate& at, int stage, const Vector& velocity) {
    go_to_stage(at.z, stage);
    const auto force = at.force.segment(stage * n_, n_);
    return {force.dot(work_.v), force.dot(velocity - work_.v)};
  }
  [[nodiscard]] std::string_view linear_solver() const { return matrix_.lu->name(); }

 private:
  [[nodiscard]] double norm(const Vector& residual) const;
  void go_to_stage(const Vector& z, int stage);
  void make_matrix();

  struct Table {
    Vector c, b;
    Eigen::MatrixXd coupling, inverse;  // B = (A²)⁻¹, A⁻¹
  };
  struct Problem {
    const State* start = nullptr;
    TimeSpan span;  // as forces see it
    double h = 0;
    double energy_scale = 0;
  };
  struct Matrix {
    SparseMatrix jacobian;
    // Where the Hessian of a stage, and M for each pair of stages, lie in it.
    std::vector<int> hessian_position, coupling_position;
    std::vector<double> half_values, full_values;
    std::unique_ptr<GeneralSolver> lu;
    Vector right, solution;
  };
  struct Workspace {
    Vector damping, scratch, z, x, v, gradient, sum;
    // What forces at x₀ are computed from, found when first needed in a step.
    Vector lengths;
    bool has_lengths = false;
  };

  Assembler& assembler_;
  const System& system_;
  const Mass& mass_;
  FullPattern pattern_;
  Table table_;
  int stages_;
  Eigen::Index n_;
  SolverOptions options_;
  bool forced_;
  Problem problem_;
  Matrix matrix_;
  Workspace work_;
};

class CollocationIntegrator final : public Integrator {
 public:
  CollocationIntegrator(const World& world, const CollocationTable& table,
                        const SolverOptions& options);
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override {
    if (predictor_) predictor_->archive(a);
  }
  [[nodiscard]] std::string_view linear_solver() const override {
    return equation_.linear_solver();
  }
  [[nodiscard]] NewtonTimes times() const override;

 private:
  // A start for the stages from one AVF step, whose minimiser cannot get lost.
  void predict(const State& state, double h, StepReport& report);
  // Displacement and end velocity from the stages, and what the residuals gave to the latter.
  void finish(const State& state, double h);
  [[nodiscard]] StepAccount account(const State& start, double h);

  const System& system_;
  CollocationTable table_;
  SolverOptions options_;
  Assembler assembler_;
  PotentialCache potential_;
  CollocationEquation equation_;
  RootFinder root_;
  std::unique_ptr<Integrator> predictor_;
  State predicted_;
  Iterate found_;
  Vector d_, x1_, v1_, mean_, acceleration_;
  Vector solver_impulse_;
};

}  // namespace lilyan
