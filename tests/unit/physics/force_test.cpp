// External forces under every method: they do what they should, and the ledger knows.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::force_test {
namespace {

// A body that is dragged and driven, hanging from two vertices.
struct Forced {
  Body body{BodyOptions{.gravity = {0, -1, 0}, .fixed = {0, 1}}};
  Forced(double rate, double push) {
    body.system.add(std::make_unique<Drag>(body.system.mass(), rate));
    Vector amplitude = Vector::Zero(body.system.dofs());
    for (int i = 0; i < body.system.vertices(); ++i) amplitude[3 * i + 2] = push;
    body.system.add(std::make_unique<Drive>(amplitude, DriveTiming{.frequency = 0.4}));
  }
};

class ForcesUnder : public ::testing::TestWithParam<Scheme> {};

TEST_P(ForcesUnder, LedgerClosesAndFixedVerticesStand) {
  const Forced forced(0.5, 0.05);
  State state = forced.body.moving(1.1, 0.5);
  const auto integrator = make_integrator(forced.body.system, GetParam(), {});
  const double h = GetParam().label == "explicit-euler" ? 0.002 : 0.02;
  double largest = 0;
  for (int k = 0; k < 40; ++k) {
    const StepReport r = integrator->step(state, h);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
    double scale = r.after.kinetic;
    for (const double e : r.after.potential) scale += std::abs(e);
    ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * scale);
    largest = std::max(largest, std::abs(r.ledger.work) / scale);
  }
  EXPECT_GT(largest, 1e-4) << "the forces did no work worth the name";
  for (const int i : {0, 1}) {
    EXPECT_EQ(state.x.segment<3>(3 * i), forced.body.moving(1.1, 0.5).x.segment<3>(3 * i));
  }
}

int order_with_forces(const Claims& claims) {
  return claims.forced_order ? claims.forced_order : claims.order;
}

// The work booked over a run agrees with the exact motion's: ∫ F·v dt, in the limit of small steps
// with the method's own order.
TEST_P(ForcesUnder, WorkConvergesToThatOfTheMotion) {
  const ProblemInstance& problem = forced_problem();
  const auto work = [&](const Scheme& scheme, int steps) {
    State state = problem.initial;
    const auto integrator = make_integrator(*problem.system, scheme, {});
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      const StepReport r = integrator->step(state, 2.0 / steps);
      EXPECT_TRUE(succeeded(r.status));
      sum += r.ledger.work;
    }
    return sum;
  };
  static const double exact = work(make_scheme("rk4"), 40000);
  const double coarse = std::abs(work(GetParam(), 100) - exact);
  const double fine = std::abs(work(GetParam(), 400) - exact);
  EXPECT_LE(coarse, 0.05 * std::abs(exact));
  // Those whose forces see the velocities of their own points keep their order in the work.
  const bool own = GetParam().label.starts_with("gauss") || GetParam().label == "rk4";
  const double order =
      own ? GetParam().claims.order : std::min(order_with_forces(GetParam().claims), 2);
  EXPECT_LE(fine, std::max(1.4 * coarse / std::pow(4, order), 1e-10 * std::abs(exact)));
}

// Without potentials and with drag alone, velocities decay as exp(−rate t), whatever the mass.
TEST_P(ForcesUnder, DragDecaysExponentially) {
  System system(std::vector{2.0, 0.5}, 1);
  system.add(std::make_unique<Drag>(system.mass(), 0.8));
  State state{.x = Vector::Zero(2), .v = Vector::Constant(2, 3.0)};
  const auto integrator = make_integrator(system, GetParam(), {});
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, 0.001).status));
  }
  const double tolerance = order_with_forces(GetParam().claims) == 1 ? 2e-3 : 2e-6;
  EXPECT_NEAR(state.v[0], 3 * std::exp(-0.8), tolerance);
  EXPECT_NEAR(state.v[1], state.v[0], 1e-13);
  EXPECT_NEAR(state.x[0], 3 * (1 - std::exp(-0.8)) / 0.8, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Force, ForcesUnder, ::testing::ValuesIn(all_schemes()), test_name);

// Strong drag, far from what an iteration that ignores its derivative would survive.
TEST(StrongDrag, ImplicitStepsConverge) {
  for (const Scheme& scheme : all_schemes()) {
    if (scheme.solve == SolveKind::explicit_) continue;
    // Their backward substeps would have to undo the drag.
    if (std::holds_alternative<CompositionTable>(scheme.table)) continue;
    const ProblemInstance p = make_problem("pendulum");
    p.system->add(std::make_unique<Drag>(p.system->mass(), 1e4));
    State state = p.initial;
    state.v[0] = 1;
    const auto integrator = make_integrator(*p.system, scheme, {});
    // A few only: HP(α > ½) is unstable there and explodes later.
    for (int k = 0; k < 3; ++k) {
      const StepReport r = integrator->step(state, 0.1);
      ASSERT_TRUE(succeeded(r.status)) << scheme.label << ": " << describe(r.status);
    }
  }
}

// Lagrange–d'Alembert for HP(α), Kharevych et al. 2006, section 5: p₁ − p₀ = D₁L_d + F⁻ + F⁺ with
// both impulses of the force at the quadrature point, (1−α)hF and αhF.
TEST(LagrangeDAlembert, ImpulsesAreThePapers) {
  const double alpha = 0.3, h = 0.05;
  const ProblemInstance& problem = forced_problem();
  State state = problem.initial;
  const State start = state;
  const auto integrator =
      make_integrator(*problem.system, make_scheme("hp", {{"alpha", alpha}}), {});
  ASSERT_TRUE(succeeded(integrator->step(state, h).status));
  const double u = (state.x[0] - start.x[0]) / h;
  const double q = start.x[0] + alpha * h * u;
  double force = 0;
  for (const auto& f : problem.system->forces()) f->add(alpha * h, &q, &u, &force);
  const double total = -std::sin(q) + force;  // unit mass, length and gravity
  EXPECT_NEAR(u, start.v[0] + (1 - alpha) * h * total, 1e-13);
  EXPECT_NEAR(state.v[0], u + alpha * h * total, 1e-13);
}

// Far from the origin the global discrete gradient still keeps the energy.
TEST(DiscreteGradient, DoesNotCareWhereTheOriginIs) {
  const Body body;
  State state = body.moving();
  for (int i = 0; i < body.system.vertices(); ++i) state.x[3 * i] += 3e4;
  const auto integrator = make_integrator(body.system, make_scheme("discrete-gradient"), {});
  const double before = invariants(body.system, state).total;
  double after = before;
  for (int k = 0; k < 20; ++k) {
    const StepReport r = integrator->step(state, 0.2);
    ASSERT_TRUE(succeeded(r.status));
    after = r.after.total;
  }
  EXPECT_NEAR(after, before, 1e-9 * before);
}

TEST(Drive, ActsOnlyBetweenItsMoments) {
  const Drive drive(Vector::Constant(1, 2.0),
                    DriveTiming{.phase = std::numbers::pi / 3, .from = 1, .until = 2});
  const auto at = [&](double t) {
    const double x = 0;
    double f = 0;
    drive.add(t, &x, &x, &f);
    return f;
  };
  EXPECT_EQ(at(0.99), 0);
  EXPECT_NEAR(at(1), 1, 1e-15);
  EXPECT_NEAR(at(2), 1, 1e-15);
  EXPECT_EQ(at(2.01), 0);
}

}  // namespace
}  // namespace lilyan::test::force_test
