// Steps that fail and are retried in halves.
#include <gtest/gtest.h>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::halving_test {
namespace {

// Solves only steps up to a given length, so that what step_with_halving() does can be followed.
class Fussy final : public Integrator {
 public:
  explicit Fussy(double longest) : longest_(longest) {}
  StepReport step(State& state, double h) override {
    StepReport r{.h = h, .solver_work = {.iterations = 3, .factorisations = 2, .evaluations = 4}};
    r.before.total = r.after.total = state.t;
    attempts.push_back(h);
    if (std::abs(h) > longest_ || state.t >= fails_from) {
      r.status = failure;
      return r;
    }
    if (state.t < round_off_before) r.status = StepStatus::round_off;
    state.t += h;
    r.after.total = state.t;
    r.ledger.method = h;
    r.residual = h;
    return r;
  }
  std::vector<double> attempts;
  double fails_from = 1e9;
  double round_off_before = -1;
  StepStatus failure = StepStatus::not_converged;

 private:
  double longest_;
};

TEST(Advance, TakesAGoodStepWhole) {
  Fussy f(1);
  State s;
  const StepReport r = step_with_halving(f, s, 1, 5);
  EXPECT_EQ(r.substeps, 1);
  EXPECT_EQ(f.attempts, (std::vector<double>{1}));
}

TEST(Advance, HalvesUntilItSucceeds) {
  Fussy f(0.25);
  State s;
  const StepReport r = step_with_halving(f, s, 1, 5);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_EQ(f.attempts, (std::vector<double>{1, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25}));
  EXPECT_EQ(s.t, 1);
  EXPECT_EQ(r.h, 1);
  EXPECT_EQ(r.substeps, 4);
  EXPECT_EQ(r.solver_work.iterations, 7 * 3);  // failed attempts are work too
  EXPECT_EQ(r.solver_work.factorisations, 7 * 2);
  EXPECT_EQ(r.solver_work.evaluations, 7 * 4);
  EXPECT_EQ(r.before.total, 0);
  EXPECT_EQ(r.after.total, 1);
  EXPECT_EQ(r.ledger.total(), 1);
  EXPECT_EQ(r.residual, 0.25);
}

TEST(Advance, GoesNoDeeperThanAllowedAndRestores) {
  Fussy f(0.2);
  State s{.t = 3};
  const StepReport r = step_with_halving(f, s, 1, 2);
  EXPECT_EQ(r.status, StepStatus::not_converged);
  EXPECT_EQ(f.attempts, (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(s.t, 3);
  EXPECT_EQ(r.h, 1);
}

TEST(Advance, FailureOfALaterHalfUndoesTheEarlierOnes) {
  Fussy f(0.25);
  f.fails_from = 0.75;
  State s;
  const StepReport r = step_with_halving(f, s, 1, 2);
  EXPECT_FALSE(succeeded(r.status));
  EXPECT_EQ(s.t, 0);
  EXPECT_EQ(r.after.total, r.before.total);
  EXPECT_EQ(r.ledger.total(), 0);
}

// Whoever asked for the end does not want to wait for more attempts.
TEST(Advance, StoppedStepsAreNotTriedAgain) {
  Fussy f(0.25);
  f.failure = StepStatus::stopped;
  State s{.t = 3};
  EXPECT_EQ(step_with_halving(f, s, 1, 5).status, StepStatus::stopped);
  EXPECT_EQ(f.attempts, (std::vector<double>{1}));
  EXPECT_EQ(s.t, 3);
}

TEST(Advance, RoundOffInOnePartIsRoundOffOfTheWhole) {
  Fussy f(0.5);
  f.round_off_before = 0.1;
  State s;
  EXPECT_EQ(step_with_halving(f, s, 1, 2).status, StepStatus::round_off);
}

// What adds up is added; of what does not, the worst is kept.
TEST(StepReport, TakesInTheNext) {
  StepReport all{.h = 1, .nodes = 5, .residual = 0.3};
  all.append({.h = 2, .substeps = 3, .nodes = 4, .residual = 0.1});
  EXPECT_EQ(all.h, 3);
  EXPECT_EQ(all.substeps, 4);
  EXPECT_EQ(all.nodes, 5);
  EXPECT_EQ(all.residual, 0.3);
  all.append({.h = 1, .nodes = 7, .residual = 0.4});
  EXPECT_EQ(all.nodes, 7);
  EXPECT_EQ(all.residual, 0.4);
}

// With three Newton iterations a whole step is out of reach, but parts of it are not.
TEST(Advance, RealStepsSucceedInHalves) {
  const Body body({.mu = 50, .lambda = 50});
  State state = body.moving(1.5, 3);
  const State start = state;
  const SolverOptions options{.newton = {.max_iterations = 4, .reuse_factor = false}};
  const auto integrator = make_integrator(body.system, make_scheme("avf"), options);
  ASSERT_FALSE(succeeded(integrator->step(state, 0.1).status));
  const StepReport r = step_with_halving(*integrator, state, 0.1, 8);
  ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
  EXPECT_GT(r.substeps, 1);
  EXPECT_NEAR(state.t, 0.1, 1e-15);
  EXPECT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * r.after.total);
  EXPECT_EQ(r.before.total, invariants(body.system, start).total);
  EXPECT_EQ(r.after.total, invariants(body.system, state).total);

  State other = start;
  const auto hopeless =
      make_integrator(body.system, make_scheme("avf"), {.newton = {.max_iterations = 0}});
  EXPECT_FALSE(succeeded(step_with_halving(*hopeless, other, 0.1, 3).status));
  EXPECT_EQ(other.x, start.x);
  EXPECT_EQ(other.v, start.v);
  EXPECT_EQ(other.t, start.t);
}

// The guess x₀ + h v₀ turns elements inside out, where neo-Hookean energy is infinite; the step
// must be solved all the same. (What lies at a path's nodes cannot be inverted; its end can, when
// no node lies there.)
TEST(NeoHookeanStep, InvertedGuessConverges) {
  for (const Scheme& scheme : all_schemes()) {
    const auto* table = std::get_if<MinimisationTable>(&scheme.table);
    if (!table || scheme.solve != SolveKind::minimisation) continue;
    for (const Definiteness definiteness : {Definiteness::project, Definiteness::shift}) {
      for (const double h : {0.4, 0.5, 0.6, 0.7}) {
        const Body body({.material = "neo-hookean", .mu = 20, .lambda = 20});
        State state = body.at_rest();
        // Without a little asymmetry the step would be drawn to a saddle, the unbuckled state.
        std::mt19937 random(6);
        state.v = random_vector(state.v.size(), 0.3, random);
        for (int i = 0; i < body.system.vertices(); ++i) state.v[3 * i] -= 3 * body.rest[3 * i];
        const Vector guess = state.x + h * state.v;
        double worst = 1;
        for (const auto& t : body.mesh.tets) worst = std::min(worst, orientation(guess, t));
        ASSERT_LT(worst, 0);
        const auto integrator =
            make_integrator(body.system, scheme, {.newton = {.definiteness = definiteness}});
        const StepReport r = integrator->step(state, h);
        // A path may end, between nodes, in an inverted state: that is said, not hidden.
        const bool solved = succeeded(r.status) || r.status == StepStatus::non_finite;
        EXPECT_TRUE(solved) << scheme.label << ", " << name(definiteness) << ", h = " << h << ": "
                            << describe(r.status) << ", residual " << r.residual;
        const auto& nodes = table->stages.back().nodes;
        if (nodes.back().theta == 1) {
          EXPECT_TRUE(succeeded(r.status)) << scheme.label << ": " << describe(r.status);
          for (const auto& t : body.mesh.tets) EXPECT_GT(orientation(state.x, t), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lilyan::test::halving_test
