// What a step promises whatever the method: failures leave no trace, fixed vertices stay, counters
// mean what they say.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::step_test {
namespace {

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

class Step : public ::testing::TestWithParam<Scheme> {
 protected:
  // Solves of a step. One that adapts its quadrature may solve again, twice more where only
  // rounding errors are left; a multistep method starts with another one, of two stages.
  static int solves() {
    const auto* table = std::get_if<MinimisationTable>(&GetParam().table);
    const bool multistep = std::holds_alternative<MultistepTable>(GetParam().table);
    return cost(GetParam()).solves * (table && table->adaptive_nodes ? 3 : multistep ? 2 : 1);
  }
  [[nodiscard]] bool is_explicit() const { return GetParam().solve == SolveKind::explicit_; }
};

TEST_P(Step, FixedVerticesDoNotMoveByABit) {
  const Body body({.cells = {3, 1, 1}, .gravity = {0, -1, 0}, .fixed = {0, 2, 7}});
  State state = body.moving(1.2, 1);
  const State start = state;
  const auto integrator = make_integrator(body.system, GetParam(), {});
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, 0.05).status));
    for (const int v : {0, 2, 7}) {
      ASSERT_TRUE(same_bits(state.x.segment<3>(3 * v), start.x.segment<3>(3 * v)));
      ASSERT_TRUE(same_bits(state.v.segment<3>(3 * v), Vec3::Zero()));
    }
  }
  EXPECT_GT((state.x - start.x).norm(), 0.1);
  EXPECT_NEAR(state.t, 1, 1e-14);
}

TEST_P(Step, KeepsTheStepBeforeAndReportsInvariants) {
  const Body body;
  State state = body.moving();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
  const State start = state;
  const StepReport r = integrator->step(state, 0.03);
  EXPECT_TRUE(same_bits(state.x_previous, start.x));
  EXPECT_TRUE(same_bits(state.v_previous, start.v));
  EXPECT_EQ(state.h_previous, 0.03);
  EXPECT_EQ(r.h, 0.03);
  EXPECT_EQ(r.substeps, 1);
  EXPECT_EQ(r.before.total, invariants(body.system, start).total);
  EXPECT_EQ(r.after.total, invariants(body.system, state).total);
  EXPECT_EQ(r.after.angular_momentum, invariants(body.system, state).angular_momentum);
  if (is_explicit()) {
    EXPECT_EQ(r.solver_work.iterations, 0);
    EXPECT_GE(r.solver_work.evaluations, 1);
    EXPECT_EQ(r.residual, 0);
  } else {
    EXPECT_GE(r.solver_work.iterations, 1);
    EXPECT_LE(r.solver_work.iterations, 15 * solves());
    EXPECT_GE(r.solver_work.factorisations, 1);
    EXPECT_LE(r.solver_work.factorisations, r.solver_work.iterations);
    EXPECT_GE(r.solver_work.evaluations, r.solver_work.iterations + 1);
    EXPECT_EQ(r.solver_work.definiteness_fixes, 0);
    EXPECT_LE(r.residual, 1e-12);
    EXPECT_FALSE(integrator->linear_solver().empty());
  }
}

// Whoever changes the velocities between two steps finds them in the next report.
TEST_P(Step, ReportsTheEnergyOfVelocitiesThatWereChanged) {
  const Body body;
  State state = body.moving();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
  state.v *= 0.5;
  const double before = invariants(body.system, state).total;
  const StepReport r = integrator->step(state, 0.02);
  EXPECT_EQ(r.before.total, before);
  EXPECT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * r.before.total);
}

// Quadratic convergence needs the true Hessian: a wrong weight of it would still converge, slowly.
TEST_P(Step, NewtonConvergesQuadratically) {
  if (is_explicit()) return;
  const Body body;
  State state = body.moving();
  const SolverOptions options{.newton = {.reuse_factor = false}};
  const auto integrator = make_integrator(body.system, GetParam(), options);
  for (int k = 0; k < 20; ++k) {
    const StepReport r = integrator->step(state, 0.1);
    ASSERT_TRUE(succeeded(r.status));
    // (That of energy-momentum converges linearly: its torque is not in the matrix.)
    const bool linear = GetParam().label.starts_with("energy-momentum");
    ASSERT_LE(r.solver_work.iterations, (linear ? 12 : 5) * solves());
    if (linear) continue;
    ASSERT_EQ(r.solver_work.factorisations, r.solver_work.iterations);
  }
}

TEST_P(Step, FailureLeavesTheStateAsItWas) {
  const Body body({.mu = 100, .lambda = 100, .fixed = {0, 1}});
  State state = body.moving(1.5, 3);
  const auto integrator =
      make_integrator(body.system, GetParam(), {.newton = {.max_iterations = 1}});
  if (is_explicit()) state.v[7] = std::numeric_limits<double>::infinity();
  for (const int v : {0, 1}) state.v.segment<3>(3 * v).setZero();
  const State start = state;
  const StepReport r = integrator->step(state, 0.2);
  ASSERT_FALSE(succeeded(r.status));
  EXPECT_EQ(r.status, is_explicit() ? StepStatus::non_finite : StepStatus::not_converged);
  EXPECT_TRUE(same_bits(state.x, start.x));
  EXPECT_TRUE(same_bits(state.v, start.v));
  EXPECT_EQ(state.t, start.t);
  EXPECT_EQ(r.ledger.total(), 0);
  EXPECT_EQ(std::memcmp(&r.before.total, &r.after.total, sizeof(double)), 0);
  if (!is_explicit()) {
    EXPECT_EQ(r.solver_work.iterations, 1);
  }
}

// A body that moves rigidly without rotation, or not at all, has nothing to solve for but rounding
// errors: the energy scale is zero or has nothing to do with the elastic forces, and the tolerances
// cannot be met. Such steps are successes, and cheap.
TEST_P(Step, RestStaysAtRestAndDriftDrifts) {
  for (const double stiffness : {10.0, 1e4}) {
    if (stiffness > 10 && is_explicit()) continue;  // unstable there
    for (const double speed : {0.0, 1e-8, 1.0}) {
      const Body body({.mu = stiffness, .lambda = stiffness});
      State state = body.at_rest();
      state.v.setConstant(speed);
      const auto integrator = make_integrator(body.system, GetParam(), {});
      for (int k = 0; k < 20; ++k) {
        const StepReport r = integrator->step(state, 0.01);
        ASSERT_TRUE(succeeded(r.status)) << speed << ": " << describe(r.status);
        ASSERT_LE(r.solver_work.iterations, 10 * solves());
      }
      // At the larger stiffness some methods are unstable, and rounding errors grow.
      if (stiffness > 10) continue;
      const Vector moved = state.x - body.rest - Vector::Constant(state.x.size(), 0.2 * speed);
      EXPECT_LE(moved.norm(), 1e-14 * std::max(1, solves())) << speed;
      EXPECT_LE((state.v - Vector::Constant(state.v.size(), speed)).norm(), 1e-12) << speed;
    }
  }
}

TEST_P(Step, EverythingFixedStands) {
  std::vector<int> all(12);
  for (int i = 0; i < 12; ++i) all[i] = i;
  const Body body({.gravity = {0, -1, 0}, .fixed = all});
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  EXPECT_TRUE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_TRUE(same_bits(state.x, body.rest));
}

// One free vertex has no neighbour to couple with.
TEST_P(Step, OneFreeVertexMoves) {
  std::vector<int> fixed(11);
  for (int i = 0; i < 11; ++i) fixed[i] = i;
  const Body body({.gravity = {0, -1, 0}, .fixed = fixed});
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  EXPECT_TRUE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_TRUE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_LT(state.x[34], body.rest[34] - 1e-3);
}

// In a uniform field every consistent method gives the exact velocity, and those of second order
// the exact position, without touching the elastic forces.
TEST_P(Step, FreeFallIsExact) {
  const Body body({.gravity = {0, -9.81, 0}});
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.1).status));
  for (int i = 0; i < body.system.vertices(); ++i) {
    EXPECT_NEAR(state.v[3 * i + 1], -9.81, 1e-11);
    if (GetParam().claims.order >= 2) {
      EXPECT_NEAR(state.x[3 * i + 1] - body.rest[3 * i + 1], -9.81 / 2, 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Integrate, Step, ::testing::ValuesIn(all_schemes()), test_name);

// A step back in time does not follow the one before: a two-step method starts anew.
TEST(TwoStep, StartsAnewWhenTimeTurnsRound) {
  const Body body;
  State state = body.moving();
  const auto integrator = make_integrator(body.system, make_scheme("bdf2"), {});
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
  State expected = state;
  const auto start = make_integrator(body.system, make_scheme("tr-bdf2"), {});
  ASSERT_TRUE(succeeded(start->step(expected, -0.02).status));
  ASSERT_TRUE(succeeded(integrator->step(state, -0.02).status));
  EXPECT_TRUE(same_bits(state.x, expected.x));
  EXPECT_TRUE(same_bits(state.v, expected.v));
}

// Where tolerances are as small as rounding errors, some stages reach them and some do not: a step is
// called converged only if all of them do.
TEST(StepStatus, IsThatOfTheWorstStage) {
  int converged = 0;
  int rounded = 0;
  for (const char* method : {"tr-bdf2", "bathe"}) {
    for (const double tolerance : {1e-15, 5e-16, 2e-16, 1e-16, 5e-17}) {
      const Body body({.mu = 100, .lambda = 100});
      State state = body.moving(1.05);
      const auto integrator =
          make_integrator(body.system, make_scheme(method),
                          {.energy_tolerance = 1, .velocity_tolerance = tolerance});
      for (int k = 0; k < 20; ++k) {
        const StepReport r = integrator->step(state, 0.02);
        ASSERT_TRUE(succeeded(r.status)) << method;
        converged += r.status == StepStatus::converged;
        rounded += r.status == StepStatus::round_off;
        EXPECT_EQ(r.status == StepStatus::converged, r.residual <= tolerance)
            << method << " " << tolerance << " " << r.residual;
      }
    }
  }
  EXPECT_GT(converged, 10);
  EXPECT_GT(rounded, 10);
}

}  // namespace
}  // namespace lilyan::test::step_test
