// Interpreter of tables for systems with constraints g(x) = 0: a KKT solve for the step and a
// projection of its velocity. G = ∂g/∂x; G₀, G₁ at the two ends of the step.
//
// Variational methods: SHAKE and RATTLE for any Hamilton–Pontryagin table (Ryckaert, Ciccotti,
// Berendsen 1977; Andersen 1983; Kharevych et al. 2006, section 3.5; Hairer, Lubich, Wanner 2006,
// section VII.1.4). A constraint force is a kick at the old position, where ∇g is G₀:
//
//   M (d − h v₀) + h² Σ βᵢ ∇E(x₀+θᵢd) − h² G₀ᵀλ = 0,   g(x₀+d) = 0                              (1)
//   v₁ = r(d − h² M⁻¹G₀ᵀλ) + h M⁻¹G₀ᵀλ,   r the table's rule for v₁                             (2)
//   v₁ ← v₁ − M⁻¹G₁ᵀμ  with  G₁v₁ = 0                                                           (3)
//
// For HP(α), (2) is  p₁ = M u + α h f(x_α), their eq (6). This is the method's discrete Lagrangian
// restricted to the constraint manifold, so the step is symplectic there, and symmetric where the
// method is. λ, not a minimisation subject to g(x₁) = 0: that would push along G₁.
//
// Energy-conserving methods (AVF): constraints push along the averaged Jacobian,
//
//   x₁ = x₀ + ½h (v₀+v₁),   M (v₁−v₀) = −h ∫∇E + h Ḡᵀλ,   Ḡ = Σ bᵢ G(x₀+cᵢd),   g(x₁) = 0       (4)
//
// so that their work λᵀḠd = λᵀ(g(x₁)−g(x₀)) is zero (Gonzalez: Mechanical systems subject to
// holonomic constraints, Physica D 132, 1999). But (4) leaves G v free: its normal part follows
// n₁ = −n₀ + O(h²), which alternates in sign from step to step with an amplitude of O(h²) that
// never decays (unit pendulum over 10⁵ steps: from rest at 120°, |Gv| up to 8e-4 at h = 0.05 and
// 1e-2 at h = 0.2; going round, 0.14 at h = 0.5; the total energy exact all along). Projecting v₁
// would take energy out. So the step starts from v₀ + N₀ν and ends, before the projection (3), with
// the normal part N₁ν:
//
//   v₀' = v₀ + N₀ν,   (4) from v₀' to v₁',   v₁ = v₁' − N₁ν,   N = M⁻¹GᵀL⁻ᵀ,  LLᵀ = G M⁻¹Gᵀ     (5)
//
// The columns of N are orthonormal in M: ½|ν|² of kinetic energy goes in and the same comes out, so
// energy is exact, G₁v₁ = 0 is exact, and the step is symmetric (a symmetric projection, Hairer,
// Lubich, Wanner 2006, section V.4.1). ν = O(h²) is found within the solve.
//
// AVF with a torque adds f to the forces of (4), which does no work either, and projects v₁ a last time
// (step/momentum_solve.hpp). The impulses of ν are along G₀ and G₁, where constraints have no torque
// about what they let a body turn about.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/path_balance.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/step/account.hpp"
#include "lilyan/step/constrained_equation.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/momentum_solve.hpp"
#include "lilyan/step/path_nodes.hpp"
#include "lilyan/step/potential_cache.hpp"
#include "lilyan/step/renewals.hpp"
#include "lilyan/step/stage_equation.hpp"
#include "lilyan/step/table_plan.hpp"

namespace lilyan {

// What a step with constraints knows while it is made.
struct ConstrainedData {
  bool checked = false;       // the state the run started from
  bool warm = false;          // d is a good guess
  std::vector<Node> average;  // (cᵢ, bᵢ) of (4)
  Vector target, known_velocity, start_gradient;
  Iterate found;  // (d, λ̂), and what is left of the equations
  Vector d, multipliers, residual;
  Vector end_x, velocity, end_gradients, end_forces;
  // Constraints at the end, the normal part ν₁ of the velocity there, and the impulse of (3).
  struct End {
    ConstraintSet::Jacobian jacobian;
    DenseMatrix gram;
    GramFactor factor;
    Vector values, normal;
  } end;
  Vector projection;
  Vector impulse, rate, scales;  // workspace
};

class ConstrainedIntegrator final : public Integrator {
 public:
  // Throws Error for schemes that are compositions or do not support constraints.
  ConstrainedIntegrator(const World& world, const Scheme& scheme, const SolverOptions& options);
  // Throws ConstraintError when the first state does not obey the constraints, or these depend on
  // one another there.
  StepReport step(State& state, double h) override;
  void archive(Archive& a) override {
    a(path_nodes_, data_.checked);
    if (momentum_) a(*momentum_);
  }
  [[nodiscard]] std::string_view linear_solver() const override;
  [[nodiscard]] NewtonTimes times() const override;

 private:
  bool begin(const State& state, double h, StepReport& report);
  bool solve(const State& state, double h, StepReport& report);
  // Finds z from the guess at hand; false when that failed, which the report then says.
  bool find_root(double slack, StepReport& report);
  bool keep_momenta(const State& state, double h, StepReport& report);
  bool solve_adaptive(const State& state, double h, StepReport& report);
  void find_velocity(const State& state, double h);
  // Takes the normal part out of data_.velocity at data_.end_x; false when the constraints are singular.
  bool project();
  [[nodiscard]] StepAccount account(const State& state, double h);
  // What rounding may have to do with the energy that the mean of the step lost.
  [[nodiscard]] RoundingFloor floor(const Vector& x0, const Vector& v0, double h, double energy);
  [[nodiscard]] StepAccount variational_account(const State& state, double h);
  [[nodiscard]] StepAccount averaged_account(const State& state, double h);

  const System& system_;
  SolverOptions options_;
  TablePlan plan_;
  bool forced_;
  Assembler assembler_;
  PotentialCache potential_;
  PathBalance balance_;
  StageWorkspace work_;
  ConstrainedEquation equation_;
  RootFinder root_;
  ConstrainedMomentumEquation momentum_equation_;
  Renewals renewals_;
  std::unique_ptr<MomentumSolve> momentum_;  // only with tables that ask for it
  PathNodes path_nodes_;
  ConstrainedData data_;
};

// Variational (symplectic) one-stage methods, explicit ones with one drift among them; those that
// conserve energy exactly by averaging forces; and compositions of these.
[[nodiscard]] bool supports_constraints(const Scheme& scheme);
// "newmark(…) cannot keep constraints; methods that can: avf, …", with the reason where the same
// method can with other parameters.
[[nodiscard]] std::string constraints_unsupported(const Scheme& scheme);
// One stage, y = h v₀ and forces at nodes; it averages forces only where the constrained step is to
// do so as well. Throws Error for other schemes, compositions included.
[[nodiscard]] MinimisationTable constrained_table(const Scheme& scheme);

}  // namespace lilyan
